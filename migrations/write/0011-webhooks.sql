create schema webhooks;

-- Where a tenant's messages go.
create table webhooks.endpoints (
  tenant_id integer not null references platform.tenants (id),
  id uuid not null,
  -- Who vouches for it: what this integration may read is sent, and nothing else.
  integration_id uuid not null references platform.integrations (id),
  version integer not null default 1,
  url text not null,
  events text[] not null,
  payload_mode text not null check (payload_mode in ('full', 'thin')),
  description text,
  -- Encrypted with SECRETS_KEY, as all secrets here.
  secret text not null,
  -- [{secret, until}]: those that still sign beside it.
  former_secrets jsonb not null default '[]',
  enabled boolean not null default true,
  paused boolean not null default false,
  disabled_at timestamptz,
  disabled_reason text,
  -- Only events of younger transactions are for it: a worker that is behind sends nothing from before the registration.
  since_epoch integer not null,
  since_transaction_id xid8 not null default pg_current_xact_id(),
  created_at timestamptz not null,
  created_by text not null,
  updated_at timestamptz not null,
  updated_by text not null,
  primary key (tenant_id, id)
);

-- The queue of an endpoint: which worker serves it, and how its receiver fares.
create table webhooks.lanes (
  tenant_id integer not null,
  webhook_id uuid not null,
  leased_by uuid,
  leased_until timestamptz,
  -- In a row.
  failures integer not null default 0,
  -- Of the circuit breaker: nothing is sent until then, and then one delivery.
  open_until timestamptz,
  -- The first failure since the last success.
  failing_since timestamptz,
  -- Warnings given in this time.
  warnings smallint not null default 0,
  primary key (tenant_id, webhook_id),
  foreign key (tenant_id, webhook_id) references webhooks.endpoints (tenant_id, id) on delete cascade
) with (fillfactor = 50);

-- One row for each endpoint and event: a replay sends the same delivery again. It holds no body and no personal data.
create table webhooks.deliveries (
  tenant_id integer not null,
  webhook_id uuid not null,
  event_id uuid not null,
  -- The same on every attempt.
  request_id uuid not null default gen_random_uuid(),
  -- As we name it, and as it was subscribed to.
  type text not null,
  sent_as text not null,
  kind text not null,
  subject uuid not null,
  version integer not null,
  -- JSON: an array of names.
  changed text not null,
  source text not null,
  occurred_at timestamptz not null,
  -- Where the event stands in the feed; null for what is no event of the store.
  at text,
  -- 0 pending, 1 delivered, 2 failed
  state smallint not null default 0,
  attempts integer not null default 0,
  -- Since it was last queued: where it stands in the schedule.
  failures smallint not null default 0,
  due_at timestamptz not null,
  created_at timestamptz not null,
  finished_at timestamptz,
  -- Of the last attempt.
  status smallint,
  error text,
  primary key (tenant_id, webhook_id, event_id)
) with (fillfactor = 80);
create index deliveries_pending on webhooks.deliveries (tenant_id, webhook_id, due_at, event_id) where state = 0;

create table webhooks.attempts (
  tenant_id integer not null,
  webhook_id uuid not null,
  event_id uuid not null,
  number integer not null,
  at timestamptz not null,
  milliseconds integer not null,
  status smallint,
  error text,
  detail text,
  -- What the receiver answered: its own text, which may repeat what it was sent.
  response text,
  address text,
  primary key (tenant_id, webhook_id, event_id, number)
);
create index attempts_at on webhooks.attempts using brin (at) with (pages_per_range = 16);

-- How far each partition of the feed has been turned into deliveries.
create table webhooks.checkpoints (
  partition smallint primary key,
  epoch integer not null,
  transaction_id xid8 not null,
  position bigint not null,
  updated_at timestamptz not null default now()
);

-- Behind which position of a partition the events of an hour begin.
create table webhooks.hours (
  partition smallint not null,
  hour timestamptz not null,
  epoch integer not null,
  transaction_id xid8 not null,
  position bigint not null,
  primary key (partition, hour)
);

create table webhooks.replays (
  tenant_id integer not null,
  webhook_id uuid not null,
  id uuid not null,
  since timestamptz not null,
  until timestamptz not null,
  mode text not null check (mode in ('failed', 'all')),
  -- How far the feed has been gone through.
  epoch integer not null,
  transaction_id xid8 not null,
  position bigint not null,
  queued integer not null default 0,
  requested_at timestamptz not null,
  requested_by text not null,
  finished_at timestamptz,
  primary key (tenant_id, webhook_id, id),
  foreign key (tenant_id, webhook_id) references webhooks.endpoints (tenant_id, id) on delete cascade
);
create index replays_open on webhooks.replays (requested_at) where finished_at is null;

-- Answers to requests with an Idempotency-Key, encrypted: one may hold a secret.
create table webhooks.repeats (
  tenant_id integer not null,
  integration_id uuid not null,
  key text not null,
  request_hash bytea not null,
  answer text,
  created_at timestamptz not null,
  primary key (tenant_id, integration_id, key)
);
create index repeats_age on webhooks.repeats (created_at);

-- Erasures whose tenants' answers of receivers are wiped once more, when no attempt from before can be under way.
create table webhooks.erasures (
  tenant_id integer not null,
  at timestamptz not null,
  primary key (tenant_id, at)
);
