-- Grain 3 of the rollups of work items: a year that is not apart by state and type (-1), of employees and matters.

-- For every generation that answers reads; one that is being built starts over.
update read_model.generations g set version = 0
where projection = 'work-items'
  and not exists (select from read_model.live l where (l.projection, l.generation) = (g.projection, g.generation));

insert into read_model.work_item_rollups
select generation, tenant_id, dimension, 3, period, key, -1, -1, currency, sum(items), sum(units), sum(minutes),
  sum(total), sum(total_base), sum(remaining), sum(duration_ticks)
from read_model.work_item_rollups
where dimension in (1, 2) and grain = 2
group by generation, tenant_id, dimension, period, key, currency;
