create table read_model.applicable_rates (
  like read_model.record,
  scope text not null, scope_id uuid not null, employee_id uuid, task_type_id uuid, effective_from date not null,
  primary key (generation, tenant_id, id)
) partition by list (generation);
select read_model.begin_model('applicable-rates');
create index on read_model.applicable_rates (tenant_id, effective_from, id);
create index on read_model.applicable_rates (tenant_id, scope, effective_from, id);
create index on read_model.applicable_rates (tenant_id, scope_id, effective_from, id);
create index on read_model.applicable_rates (tenant_id, employee_id, effective_from, id);
create index on read_model.applicable_rates (tenant_id, task_type_id, effective_from, id);
create index on read_model.applicable_rates using gin (search);
