-- Dimension 4 of the rollups of work items: employee (`key`) and matter (`other_key`) together, in merged years. Years of
-- matters are no longer kept apart by state and type, as their months are.
delete from read_model.work_item_rollups where dimension = 2 and grain = 2;

alter table read_model.work_item_rollups
  add column other_key uuid not null default '00000000-0000-0000-0000-000000000000';
alter table read_model.work_item_rollups drop constraint work_item_rollups_pkey;
alter table read_model.work_item_rollups add primary key
  (generation, tenant_id, dimension, grain, period, key, other_key, item_state, item_type, currency);

-- For every generation that answers reads; one that is being built starts over.
update read_model.generations g set version = 0
where projection = 'work-items'
  and not exists (select from read_model.live l where (l.projection, l.generation) = (g.projection, g.generation));

insert into read_model.work_item_rollups (generation, tenant_id, dimension, grain, period, key, other_key,
  item_state, item_type, currency, items, units, minutes, total, total_base, remaining, duration_ticks)
select generation, tenant_id, 4, 3, make_date(extract(year from entry_day)::integer, 1, 1), employee_id,
  coalesce(matter_id, '00000000-0000-0000-0000-000000000000'), -1, -1, currency,
  count(*), sum(units), sum(minutes), sum(total), sum(total_base), sum(remaining), sum(duration_ticks)
from read_model.work_item_facts where not is_deleted
group by 1, 2, 3, 4, 5, 6, 7, 8, 9, 10 order by 1, 2, 5, 6, 7;
