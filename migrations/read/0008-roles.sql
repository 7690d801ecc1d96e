create table read_model.roles (
  like read_model.record,
  name text collate read_model.natural_order not null, role_kind text not null,
  primary key (generation, tenant_id, id)
) partition by list (generation);
select read_model.begin_model('roles');
create index on read_model.roles (tenant_id, name, id);
create index on read_model.roles (tenant_id, role_kind, name, id);
create index on read_model.roles using gin (search);

-- The custom roles of a person; null: none. System roles are told from clients, employees and suppliers.
alter table read_model.people add column role_ids uuid[];
create index on read_model.people using gin (role_ids);
