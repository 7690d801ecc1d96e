-- The first generation of a projection that has one table of its name; indexes are created after it. Of a record that
-- did not exist before there are no events yet: it begins where the read models stand, and holds none of them back.
create function read_model.begin_model(name text) returns void language plpgsql as $$
declare model text := replace(name, '-', '_');
begin
  execute format('create table read_model.%I partition of read_model.%I for values in (1)', model || '_g1', model);
  insert into read_model.live values (name, 0, 1);
  insert into read_model.generations values (name, 1, 1);
  insert into read_model.checkpoints (projection, generation, partition, epoch, transaction_id, position)
  select name, 1, c.partition, c.epoch, c.transaction_id, c.position
  from read_model.live l
  join read_model.checkpoints c using (projection, generation, tenant_id)
  where l.projection = 'tenants' and l.tenant_id = 0;
end $$;

create table read_model.matter_types (
  like read_model.record,
  code text collate read_model.natural_order, name text collate read_model.natural_order not null,
  activity smallint not null, parent_id uuid,
  primary key (generation, tenant_id, id)
) partition by list (generation);
select read_model.begin_model('matter-types');
create index on read_model.matter_types (tenant_id, name, id);
create index on read_model.matter_types (tenant_id, parent_id);
