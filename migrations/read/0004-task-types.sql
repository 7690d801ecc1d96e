create table read_model.task_types (
  like read_model.record,
  code text collate read_model.natural_order not null, name text collate read_model.natural_order not null,
  activity smallint not null, item_type smallint, phase_code text,
  primary key (generation, tenant_id, id)
) partition by list (generation);
select read_model.begin_model('task-types');
create index on read_model.task_types (tenant_id, code, id);
create index on read_model.task_types (tenant_id, activity, code, id);
create index on read_model.task_types (tenant_id, item_type, code, id);
create index on read_model.task_types (tenant_id, phase_code, code, id);
create index on read_model.task_types using gin (search);
