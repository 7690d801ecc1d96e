create index on read_model.people (tenant_id, entity_type, sort_name, id);
create index on read_model.employees (tenant_id, division_id);
