create schema read_model;

-- Names sort as people expect (de Souza before Zimmer), numbers in text by their value (2 before 10).
create collation read_model.natural_order (provider = icu, locale = 'en-u-kn-true');

-- How far a projection's generation has come in a partition of the feed.
create table read_model.checkpoints (
  projection text not null,
  generation integer not null,
  partition smallint not null,
  epoch integer not null,
  transaction_id xid8 not null,
  position bigint not null,
  updated_at timestamptz not null default now(),
  primary key (projection, generation, partition)
) with (fillfactor = 50);

-- Which generation of a projection answers reads; tenant 0 stands for every tenant without a row of its own.
create table read_model.live (
  projection text not null,
  tenant_id integer not null,
  generation integer not null,
  primary key (projection, tenant_id)
);

create table read_model.generations (
  projection text not null,
  generation integer not null,
  version integer not null,
  created_at timestamptz not null default now(),
  primary key (projection, generation)
);

create function read_model.live_generation(projection text, tenant integer) returns integer
language sql stable parallel safe
return (
  select l.generation from read_model.live l
  where l.projection = live_generation.projection and l.tenant_id in (0, tenant)
  order by l.tenant_id desc limit 1
);

-- What every record's table begins with; it holds no rows itself. changed_* is the feed position of the last event
-- folded in, state the folded state, search the words that `keywords` finds.
create table read_model.record (
  generation integer not null, tenant_id integer not null, id uuid not null,
  version integer not null, is_deleted boolean not null,
  created_on timestamptz not null, created_by text not null, updated_on timestamptz not null, updated_by text not null,
  external_reference text,
  changed_epoch integer not null, changed_transaction_id xid8 not null, changed_position bigint not null,
  state jsonb not null, search tsvector not null
);

create table read_model.people (
  like read_model.record,
  entity_type text not null, sort_name text collate read_model.natural_order not null, full_name text not null, email text,
  primary key (generation, tenant_id, id)
) partition by list (generation);

create table read_model.tenants (
  like read_model.record,
  firm_name text not null, currency text not null, time_zone text not null, financial_year_start smallint not null,
  primary key (generation, tenant_id, id)
) partition by list (generation);

create table read_model.clients (
  like read_model.record,
  entity_id uuid not null, client_number text collate read_model.natural_order not null, client_state smallint not null, billing_contact_id uuid,
  primary key (generation, tenant_id, id)
) partition by list (generation);

create table read_model.employees (
  like read_model.record,
  entity_id uuid not null, division_id uuid, employee_state smallint not null, is_fee_earner boolean not null,
  initials text, job_title text, billing_grade text,
  primary key (generation, tenant_id, id)
) partition by list (generation);

create table read_model.divisions (
  like read_model.record,
  code text collate read_model.natural_order, name text collate read_model.natural_order not null, division_state smallint not null, is_default boolean not null,
  primary key (generation, tenant_id, id)
) partition by list (generation);

create table read_model.matters (
  like read_model.record,
  client_id uuid not null, division_id uuid not null, matter_type_id uuid, matter_number text collate read_model.natural_order not null,
  title text collate read_model.natural_order not null, matter_state smallint not null,
  responsible_person_id uuid, acting_person_id uuid, assisting_person_id uuid, billing_contact_id uuid,
  date_opened timestamptz not null,
  primary key (generation, tenant_id, id)
) partition by list (generation);

create table read_model.work_items (
  like read_model.record,
  entry_date timestamptz not null,
  entry_day date not null,           -- the day of entry_date in the tenant's time zone
  matter_id uuid,                    -- null: time on no matter
  employee_id uuid not null, task_type_id uuid, invoice_id uuid,
  item_type smallint not null,       -- 0 Timed Fee, 1 Itemised Fee
  item_state smallint not null,      -- 0 Pending, 1 Finalised, 2 Billed, 3 WrittenOff
  is_billable boolean not null,
  title text,
  currency text not null,
  rate numeric(19,10) not null,
  units numeric(19,4) not null,
  unit_minutes numeric(9,4) not null, -- unitDuration in hours = units * unit_minutes / 60
  duration_ticks bigint not null,
  total numeric(19,4) not null, total_base numeric(19,4) not null, remaining numeric(19,4) not null,
  primary key (generation, tenant_id, id)
) partition by list (generation);

-- Facts are appended, never updated: each measure is a flow with the sign of its movement.
create table read_model.fee_analysis (
  generation integer not null, tenant_id integer not null, id uuid not null, -- the event's id
  work_item_id uuid not null, matter_id uuid not null, employee_id uuid not null, task_type_id uuid,
  day date not null, currency text not null,
  finalised numeric(19,4) not null default 0, finalised_units numeric(19,4) not null default 0,
  billed numeric(19,4) not null default 0, billed_units numeric(19,4) not null default 0,
  written_off numeric(19,4) not null default 0, written_off_units numeric(19,4) not null default 0,
  written_up numeric(19,4) not null default 0, written_up_units numeric(19,4) not null default 0,
  primary key (generation, tenant_id, id)
) partition by list (generation);

-- The first generation of every projection.
do $$
declare name text;
begin
  foreach name in array array['people','tenants','clients','employees','divisions','matters','work_items','fee_analysis'] loop
    execute format('create table read_model.%I partition of read_model.%I for values in (1)', name || '_g1', name);
    insert into read_model.live values (replace(name, '_', '-'), 0, 1);
    insert into read_model.generations values (replace(name, '_', '-'), 1, 1);
  end loop;
end $$;

create index on read_model.people using gin (search);
create index on read_model.people (tenant_id, sort_name, id);
create index on read_model.clients using gin (search);
create index on read_model.clients (tenant_id, entity_id);
create index on read_model.clients (tenant_id, client_number, id);
create index on read_model.employees using gin (search);
create index on read_model.employees (tenant_id, entity_id);
create index on read_model.divisions (tenant_id, name, id);
create index on read_model.matters using gin (search);
create index on read_model.matters (tenant_id, client_id);
create index on read_model.matters (tenant_id, matter_number, id);
create index on read_model.work_items using gin (search);
create index on read_model.work_items (tenant_id, entry_date desc, id desc);
create index on read_model.work_items (tenant_id, employee_id, entry_date);
create index on read_model.work_items (tenant_id, matter_id, entry_date);
create index on read_model.fee_analysis (tenant_id, employee_id, day);
create index on read_model.fee_analysis (tenant_id, day);
