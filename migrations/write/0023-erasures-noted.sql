-- Where in the feed a tenant's last erasure stands: what read models show from before it is sent to nobody. Noted with the
-- erasure itself: what carries events to read models and webhooks may stand still for both.
create table event_store.last_erasures (
  tenant_id integer primary key,
  at event_store.feed_position not null
);

create or replace function event_store.append_and_erase(
  lock_keys bigint[], lock_exclusive boolean[],
  tenants integer[], partitions smallint[], times timestamptz[],
  stream_commands integer[], stream_ids uuid[], stream_kinds text[], stream_expected integer[],
  stream_versions integer[], state_versions smallint[], states text,
  event_commands integer[], event_streams uuid[], event_versions integer[], event_ids uuid[], event_types text[],
  event_schemas smallint[], event_data text, event_metadata text,
  guard_commands integer[], guard_streams uuid[], guard_versions integer[],
  unlinked json, links json, unlinks json, keys json, unkeys json, counters json, repeats json, subjects json,
  erasures json,
  out refusals jsonb, out epoch integer, out transaction_id xid8, out positions bigint[]
)
language plpgsql
set enable_seqscan = off
set enable_hashjoin = off
set enable_mergejoin = off
set plan_cache_mode = force_generic_plan
as $$
#variable_conflict use_column
declare
  refused integer[];
begin
  select a.refusals, a.epoch, a.transaction_id, a.positions
  into append_and_erase.refusals, append_and_erase.epoch, append_and_erase.transaction_id, append_and_erase.positions
  from event_store.append(
    lock_keys, lock_exclusive, tenants, partitions, times,
    stream_commands, stream_ids, stream_kinds, stream_expected, stream_versions, state_versions, states,
    event_commands, event_streams, event_versions, event_ids, event_types, event_schemas, event_data, event_metadata,
    guard_commands, guard_streams, guard_versions,
    unlinked, links, unlinks, keys, unkeys, counters, repeats, subjects
  ) a;
  refused := array(
    select (r -> 'command')::integer from jsonb_array_elements(coalesce(append_and_erase.refusals, '[]')) r);
  update event_store.subject_keys k set wrapped = null
  from json_to_recordset(erasures) e(c int, subject uuid)
  where e.c <> all (refused) and k.tenant_id = tenants[e.c] and k.subject = e.subject;
  insert into event_store.last_erasures as l (tenant_id, at)
  select distinct on (e.tenant_id) e.tenant_id, row(e.epoch, e.transaction_id, e.position)::event_store.feed_position
  from json_to_recordset(erasures) x(c int, subject uuid)
  join event_store.events e
    on e.tenant_id = tenants[x.c] and e.stream_id = x.subject and e.type = 'EntityAnonymised'
  where x.c <> all (refused)
  -- Also so that batches come to their tenants in the same order.
  order by e.tenant_id, e.epoch desc, e.transaction_id desc, e.position desc
  on conflict (tenant_id) do update set at = greatest(l.at, excluded.at);
end $$;

-- Those from before.
insert into event_store.last_erasures (tenant_id, at)
select distinct on (tenant_id) tenant_id, row(epoch, transaction_id, position)::event_store.feed_position
from event_store.events where type = 'EntityAnonymised'
order by tenant_id, epoch desc, transaction_id desc, position desc;
