create schema import;

-- A bulk import: its way from the customer's SQL Server to a staging tenant, and from there to production.
create table import.requests (
  id uuid primary key,
  tenant_id integer not null references platform.tenants (id),
  -- What is asked for now: the import itself, then its promotion.
  kind text not null default 'Import' check (kind in ('Import', 'Promotion')),
  status text not null default 'Queued' check (status in (
    'Queued', 'Connecting', 'CheckingSchema', 'Extracting', 'Validating', 'Loading', 'Reconciling',
    'Validated', 'ValidatedWithWarnings', 'ValidationFailed', 'Failed',
    'PromotionQueued', 'Promoting', 'Promoted', 'PromotionFailed', 'Cancelled')),
  -- For whoever waits for it; it never quotes the connection.
  message text not null,
  -- Encrypted with SECRETS_KEY; gone as soon as the source is not needed any more.
  connection text,
  schema_version text,
  source_system text,
  staging_tenant_id integer references platform.tenants (id),
  -- What it has found.
  errors integer not null default 0,
  warnings integer not null default 0,
  -- Of the step in hand.
  rows_per_second integer,
  -- Its rows lie in the staging area still, for its promotion.
  is_kept boolean not null default false,
  cancel_requested boolean not null default false,
  requested_by text not null,
  queued_at timestamptz not null,
  started_at timestamptz,
  updated_at timestamptz not null,
  finished_at timestamptz,
  -- The worker that is at it.
  leased_by uuid,
  leased_until timestamptz,
  -- Workers that have died over its present step.
  deaths integer not null default 0
);

-- One live request for each tenant.
create unique index requests_live on import.requests (tenant_id)
  where status in ('Queued', 'Connecting', 'CheckingSchema', 'Extracting', 'Validating', 'Loading', 'Reconciling',
    'PromotionQueued', 'Promoting');
create index requests_to_do on import.requests (queued_at)
  where status in ('Queued', 'Connecting', 'CheckingSchema', 'Extracting', 'Validating', 'Loading', 'Reconciling');
create index requests_of_tenant on import.requests (tenant_id, queued_at desc);

-- How far each table has come.
create table import.tables (
  request_id uuid not null references import.requests (id) on delete cascade,
  name text not null,
  -- As the source counts them.
  total bigint,
  read bigint not null default 0,
  valid bigint not null default 0,
  rejected bigint not null default 0,
  loaded bigint not null default 0,
  -- Where reading goes on after a crash.
  last_key text,
  is_complete boolean not null default false,
  primary key (request_id, name)
) with (fillfactor = 50);

-- What is wrong with the data. Column is null where it is the whole row, importId where it is the whole table.
create table import.findings (
  request_id uuid not null references import.requests (id) on delete cascade,
  id bigint generated always as identity,
  severity text not null check (severity in ('error', 'warning')),
  code text not null,
  table_name text not null,
  import_id text,
  column_name text,
  message text not null,
  primary key (request_id, id)
);

-- Both sides of the reconciliation.
create table import.totals (
  request_id uuid not null references import.requests (id) on delete cascade,
  measure text not null,
  group_by text not null,
  -- '' for the total of everything.
  group_key text not null,
  source_count bigint,
  source_amount numeric,
  control_count bigint,
  control_amount numeric,
  loaded_count bigint,
  loaded_amount numeric,
  primary key (request_id, measure, group_by, group_key)
);

-- Answers to requests with an Idempotency-Key, encrypted.
create table import.repeats (
  tenant_id integer not null,
  integration_id uuid not null,
  key text not null,
  request_hash bytea not null,
  answer text,
  created_at timestamptz not null,
  primary key (tenant_id, integration_id, key)
);
create index repeats_age on import.repeats (created_at);
