-- A tenant that is parked, or was rebuilt alone, stands on its own: a checkpoint row of its own; 0 stands for all others.
alter table read_model.checkpoints add column tenant_id integer not null default 0;
alter table read_model.checkpoints drop constraint checkpoints_pkey;
alter table read_model.checkpoints add primary key (projection, generation, partition, tenant_id);

-- In the row of tenant 0: raised whenever another generation goes live or another tenant stands on its own, so that
-- whoever builds the read model looks again. Whoever raises it locks that row first.
alter table read_model.live add column revision integer not null default 0;

-- A generation that is being built is not live yet. The streams up to filled_tenant, filled_stream are in its tables
-- as they were at its first checkpoints; once all are, filled is true and the feed brings the rest.
alter table read_model.generations
  add column tenant_id integer not null default 0,
  add column filled boolean not null default true,
  add column filled_tenant integer,
  add column filled_stream uuid,
  add column events bigint not null default 0;

-- Tenants that a read model no longer follows, because one of their events could not be applied.
create table read_model.parked (
  projection text not null,
  tenant_id integer not null,
  event_id uuid not null,
  event_type text not null,
  error text not null,
  parked_at timestamptz not null default now(),
  primary key (projection, tenant_id)
);

-- Every combination of a read model and of tenants that move together: tenant 0 is all that have no row of their own.
create view read_model.tracks as
  select l.projection, l.tenant_id, l.generation, p.tenant_id is not null as parked
  from read_model.live l
  left join read_model.parked p using (projection, tenant_id)
  union all
  select p.projection, p.tenant_id, m.generation, true
  from read_model.parked p
  join read_model.live m on m.projection = p.projection and m.tenant_id = 0
  where not exists (
    select from read_model.live o where o.projection = p.projection and o.tenant_id = p.tenant_id);

-- The words that `keywords` finds come without their places, which nothing asked for. A folded state is only ever read
-- as a whole, so json: jsonb made more than half of the work of writing a row.
alter table read_model.record alter column state type json;
alter table read_model.people
  alter column state type json, alter column search type tsvector using strip(search);
alter table read_model.tenants
  alter column state type json, alter column search type tsvector using strip(search);
alter table read_model.clients
  alter column state type json, alter column search type tsvector using strip(search);
alter table read_model.employees
  alter column state type json, alter column search type tsvector using strip(search);
alter table read_model.divisions
  alter column state type json, alter column search type tsvector using strip(search);
alter table read_model.matters
  alter column state type json, alter column search type tsvector using strip(search);
alter table read_model.work_items
  alter column state type json, alter column search type tsvector using strip(search);
