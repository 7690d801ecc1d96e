-- What an integration keeps with a tenant for itself. Nobody else reads it: it is no event, and goes when it is replaced.
create table platform.integration_settings (
  tenant_id integer not null references platform.tenants (id),
  integration_id uuid not null references platform.integrations (id),
  settings json not null,
  version integer not null,
  updated_at timestamptz not null default now(),
  primary key (tenant_id, integration_id)
);
