create schema platform;

-- One row: what was fixed when this deployment was installed.
create table platform.installation (
  only_row boolean primary key default true check (only_row),
  id uuid not null default gen_random_uuid(),
  region text not null check (region in ('uk', 'au')),
  partitions smallint not null check (partitions between 1 and 1024),
  installed_at timestamptz not null default now()
);

create table platform.tenants (
  id integer generated always as identity primary key,
  alias text not null unique check (alias ~ '^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$'),
  region text not null check (region in ('uk', 'au')),
  partition smallint not null,
  -- The stream that holds the tenant's settings.
  stream_id uuid not null unique,
  created_at timestamptz not null default now()
);

create table platform.integrations (
  id uuid primary key,
  client_id text not null unique,
  name text not null,
  secret_hash text not null,
  created_at timestamptz not null default now(),
  revoked_at timestamptz
);

create table platform.grants (
  tenant_id integer not null references platform.tenants (id),
  integration_id uuid not null references platform.integrations (id),
  permissions text[] not null,
  request_limit integer not null default 100 check (request_limit > 0),
  period_seconds integer not null default 60 check (period_seconds > 0),
  granted_at timestamptz not null default now(),
  revoked_at timestamptz,
  primary key (tenant_id, integration_id)
);

create table platform.signing_keys (
  id text primary key,
  public_jwk jsonb not null,
  -- The private JWK, encrypted with SECRETS_KEY.
  private_jwk text not null,
  created_at timestamptz not null default now(),
  retired_at timestamptz
);

-- Counters that may be lost in a crash: a window is a minute.
create unlogged table platform.rate_windows (
  tenant_id integer not null,
  integration_id uuid not null,
  window_start timestamptz not null,
  used bigint not null,
  primary key (tenant_id, integration_id, window_start)
) with (fillfactor = 50);

create unlogged table platform.token_failures (
  subject text not null,
  window_start timestamptz not null,
  failures integer not null,
  primary key (subject, window_start)
);
