create table read_model.suppliers (
  like read_model.record,
  entity_id uuid not null, activity smallint not null,
  primary key (generation, tenant_id, id)
) partition by list (generation);
select read_model.begin_model('suppliers');
create index on read_model.suppliers (tenant_id, entity_id);
