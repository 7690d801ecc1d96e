create table read_model.rate_sets (
  like read_model.record,
  name text collate read_model.natural_order not null, is_default boolean not null, from_day date,
  primary key (generation, tenant_id, id)
) partition by list (generation);
select read_model.begin_model('rate-sets');
create index on read_model.rate_sets (tenant_id, name, id);
create index on read_model.rate_sets (tenant_id, is_default, name, id);
create index on read_model.rate_sets using gin (search);
