-- An event that takes a billing back has two facts: the reversal's, and that of the day on which work was written up.
alter table read_model.fee_analysis add column part smallint not null default 0;
alter table read_model.fee_analysis drop constraint fee_analysis_pkey;
alter table read_model.fee_analysis add primary key (generation, tenant_id, id, part);

-- A read model that has no event yet is of the latest version.
update read_model.generations g set version = latest.version
from (values ('fee-analysis', 2), ('work-items', 3)) as latest(projection, version)
where g.projection = latest.projection
  and not exists (select from read_model.checkpoints c where c.projection = g.projection);
