-- The position that the read model which answers a tenant has reached in a partition of the feed, as printPosition has it;
-- null before the first. A function, because its plan is kept: within the statements of lists, which are planned anew each
-- time, it took longer than the page's rows.
create function read_model.reached(projection text, tenant integer, partition smallint) returns text
language sql stable parallel safe
return (
  select c.epoch || '.' || c.transaction_id || '.' || c.position
  from (
    select t.generation, t.tenant_id from read_model.tracks t
    where t.projection = reached.projection and t.tenant_id in (0, tenant) order by t.tenant_id desc limit 1
  ) t
  join read_model.checkpoints c
    on (c.projection, c.generation, c.tenant_id) = (reached.projection, t.generation, t.tenant_id)
  where c.partition = reached.partition
);
