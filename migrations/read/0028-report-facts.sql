-- What the reports read of very many rows: a narrow copy of the work items, and sums by one dimension at a time.
-- Written with the rows that they are made of, in the same statement.
create table read_model.work_item_facts (
  generation integer not null, tenant_id integer not null, id uuid not null,
  entry_day date not null,
  employee_id uuid not null, matter_id uuid, task_type_id uuid,
  item_state smallint not null, item_type smallint not null,
  currency text not null collate "C",
  is_billable boolean not null, is_deleted boolean not null,
  units bigint not null,          -- × 10⁴
  minutes bigint not null,        -- units * unit_minutes, × 10⁸
  total bigint not null, total_base bigint not null, remaining bigint not null, -- × 10⁴
  duration_ticks bigint not null,
  primary key (generation, tenant_id, id)
) partition by list (generation);

-- Of a fact's column `key` (dimension 0: none) from the first day of `period` on, for a day (grain 0), month (1) or
-- year (2). A null key is the UUID of zeros.
create table read_model.work_item_rollups (
  generation integer not null, tenant_id integer not null,
  dimension smallint not null, grain smallint not null, period date not null, key uuid not null,
  item_state smallint not null, item_type smallint not null, currency text not null collate "C",
  items bigint not null,
  units numeric not null, minutes numeric not null,
  total numeric not null, total_base numeric not null, remaining numeric not null,
  duration_ticks numeric not null,
  primary key (generation, tenant_id, dimension, grain, period, key, item_state, item_type, currency)
) partition by list (generation);

create table read_model.fee_analysis_rollups (
  generation integer not null, tenant_id integer not null,
  dimension smallint not null, grain smallint not null, period date not null, key uuid not null,
  currency text not null collate "C",
  items bigint not null,
  finalised numeric not null, finalised_units numeric not null,
  billed numeric not null, billed_units numeric not null,
  written_off numeric not null, written_off_units numeric not null,
  written_up numeric not null, written_up_units numeric not null,
  primary key (generation, tenant_id, dimension, grain, period, key, currency)
) partition by list (generation);

create index on read_model.work_item_facts (tenant_id, entry_day);
create index on read_model.work_item_facts (tenant_id, employee_id, entry_day);
create index on read_model.work_item_facts (tenant_id, matter_id, entry_day);
create index on read_model.fee_analysis (tenant_id, matter_id, day);

-- Names of what rows are grouped by, without the rest of their rows. A title is too long for an index.
create index on read_model.matters (tenant_id, id) include (generation, matter_number, client_id, division_id, matter_type_id);
create index on read_model.people (tenant_id, id) include (generation, sort_name);
create index on read_model.clients (tenant_id, id) include (generation, entity_id);
create index on read_model.employees (tenant_id, id) include (generation, entity_id);

-- For every generation that answers reads; one that is being built starts over.
update read_model.generations g set version = 0
where projection in ('work-items', 'fee-analysis')
  and not exists (select from read_model.live l where (l.projection, l.generation) = (g.projection, g.generation));

do $$
declare
  g record;
  keys record;
begin
  for g in select distinct generation from read_model.live where projection = 'work-items' loop
    execute format('create table read_model.work_item_facts_g%1$s partition of read_model.work_item_facts
      for values in (%1$s) with (fillfactor = 85)', g.generation);
    execute format('create table read_model.work_item_rollups_g%1$s partition of read_model.work_item_rollups
      for values in (%1$s) with (fillfactor = 70)', g.generation);
  end loop;
  for g in select distinct generation from read_model.live where projection = 'fee-analysis' loop
    execute format('create table read_model.fee_analysis_rollups_g%1$s partition of read_model.fee_analysis_rollups
      for values in (%1$s) with (fillfactor = 70)', g.generation);
  end loop;

  insert into read_model.work_item_facts
  select generation, tenant_id, id, entry_day, employee_id, matter_id, task_type_id, item_state, item_type, currency,
    is_billable, is_deleted, units * 10000, units * unit_minutes * 100000000, total * 10000, total_base * 10000,
    remaining * 10000, duration_ticks
  from read_model.work_items;

  for keys in
    select * from (values (0, 'null::uuid'), (1, 'employee_id'), (2, 'matter_id'), (3, 'task_type_id')) k (dimension, of),
      (values (0, 'day'), (1, 'month'), (2, 'year')) p (grain, unit)
    where dimension = 0 or grain > 0
  loop
    execute format($sql$
      insert into read_model.work_item_rollups
      select generation, tenant_id, %s, %s, date_trunc(%L, entry_day)::date,
        coalesce(%s, '00000000-0000-0000-0000-000000000000'), item_state, item_type, currency,
        count(*), sum(units), sum(minutes), sum(total), sum(total_base), sum(remaining), sum(duration_ticks)
      from read_model.work_item_facts where not is_deleted group by 1, 2, 3, 4, 5, 6, 7, 8, 9
      $sql$, keys.dimension, keys.grain, keys.unit, keys.of);
    execute format($sql$
      insert into read_model.fee_analysis_rollups
      select generation, tenant_id, %s, %s, date_trunc(%L, day)::date,
        coalesce(%s, '00000000-0000-0000-0000-000000000000'), currency, count(*), sum(finalised), sum(finalised_units),
        sum(billed), sum(billed_units), sum(written_off), sum(written_off_units), sum(written_up), sum(written_up_units)
      from read_model.fee_analysis group by 1, 2, 3, 4, 5, 6, 7
      $sql$, keys.dimension, keys.grain, keys.unit, keys.of);
  end loop;
end $$;
