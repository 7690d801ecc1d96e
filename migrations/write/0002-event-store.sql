create schema event_store;

create table event_store.epochs (
  epoch integer primary key,
  opened_at timestamptz not null default now()
);
insert into event_store.epochs (epoch) values (1);

create table event_store.events (
  tenant_id integer not null,
  stream_id uuid not null,
  version integer not null,
  position bigint generated always as identity,
  transaction_id xid8 not null default pg_current_xact_id(),
  epoch integer not null,
  partition smallint not null,
  event_id uuid not null,
  type text not null,
  schema_version smallint not null,
  data jsonb not null,
  metadata jsonb not null,
  recorded_at timestamptz not null,
  primary key (tenant_id, stream_id, version)
);

-- The feed: a partition in commit order.
create unique index events_feed on event_store.events (partition, epoch, transaction_id, position);

create table event_store.streams (
  tenant_id integer not null,
  stream_id uuid not null,
  kind text not null,
  version integer not null,
  -- {audit fields, data: the folded state}; written in the statement that writes the events. Only ever read as a
  -- whole, so json: jsonb would cost an append a sixth more.
  state json not null,
  state_version smallint not null,
  primary key (tenant_id, stream_id)
) with (fillfactor = 80);

-- Who refers to whom. What in_use, open_matters and unbilled_work ask, because a command never asks a read model.
create table event_store.links (
  tenant_id integer not null,
  target uuid not null,
  kind text not null,
  source uuid not null,
  primary key (tenant_id, target, kind, source)
);

create table event_store.reservations (
  tenant_id integer not null,
  kind text not null,
  key text not null,
  stream_id uuid not null,
  primary key (tenant_id, kind, key)
);

create table event_store.counters (
  tenant_id integer not null,
  name text not null,
  value bigint not null,
  primary key (tenant_id, name)
) with (fillfactor = 50);

create table event_store.idempotency_keys (
  tenant_id integer not null,
  integration_id uuid not null,
  key text not null,
  request_hash bytea not null,
  status smallint not null,
  -- [{kind, id, version}], the first is the record that the answer shows.
  streams jsonb not null,
  -- What the answer holds beside records: outcomes by id of a request over many; never personal data.
  outcome jsonb,
  created_at timestamptz not null,
  primary key (tenant_id, integration_id, key)
);
create index idempotency_keys_age on event_store.idempotency_keys (created_at);

-- The key of a person's data, wrapped with SECRETS_KEY. Destroyed: the row stays, the key is null.
create table event_store.subject_keys (
  tenant_id integer not null,
  subject uuid not null,
  wrapped bytea,
  primary key (tenant_id, subject)
);
