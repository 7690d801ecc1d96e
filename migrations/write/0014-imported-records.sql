-- What a promoted import has made of each row: by it the next import tells equal rows from changed ones.
-- It has no foreign keys, which a million rows would be checked against one by one; its one writer knows that they hold.
create table import.records (
  tenant_id integer not null,
  record_id uuid not null,
  -- SHA-256 of what the row asked for.
  digest bytea not null,
  -- Of the record's stream, as the import left it.
  version integer not null,
  -- Import requests.
  created_by uuid not null,
  changed_by uuid,
  primary key (tenant_id, record_id)
);

-- How far the promotion has come; null before it is begun.
alter table import.requests
  add column promotion_step text
    check (promotion_step in ('Checking', 'Appending', 'Renewing', 'Announcing')),
  add column created_records bigint,
  add column changed_records bigint;
