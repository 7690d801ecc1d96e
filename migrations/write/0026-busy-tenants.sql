-- As before (see 0003, 0013 and 0023), with locks that a batch does not wait for. Somebody may hold a tenant's lock for
-- seconds, as while a bulk append writes to the tenant; a batch that waited for it would keep all other tenants waiting.
--   tenant_locks  one element a command: its tenant's lock, taken shared if that needs no waiting
--   busy          the commands whose tenant's lock was not to be had: they wrote nothing, and their refusals mean nothing
-- A batch that waits for its tenants names their locks first in lock_*, as do all: whoever holds a stream then waits for
-- no tenant. Processes from before this migration give no tenant_locks, and have the locks of tenants among the others.
drop function event_store.append;
drop function event_store.append_and_erase;

create function event_store.append(
  lock_keys bigint[], lock_exclusive boolean[],
  tenants integer[], partitions smallint[], times timestamptz[],
  stream_commands integer[], stream_ids uuid[], stream_kinds text[], stream_expected integer[],
  stream_versions integer[], state_versions smallint[], states text,
  event_commands integer[], event_streams uuid[], event_versions integer[], event_ids uuid[], event_types text[],
  event_schemas smallint[], event_data text, event_metadata text,
  guard_commands integer[], guard_streams uuid[], guard_versions integer[],
  unlinked json, links json, unlinks json, keys json, unkeys json, counters json, repeats json, subjects json,
  tenant_locks bigint[] default '{}',
  out refusals jsonb, out epoch integer, out transaction_id xid8, out positions bigint[], out busy integer[]
)
language plpgsql
-- The tables are empty when a session plans this, and grow under its plan.
set enable_seqscan = off
set enable_hashjoin = off
set enable_mergejoin = off
set plan_cache_mode = force_generic_plan
as $$
#variable_conflict use_column
declare
  refused integer[];
  data text[] = string_to_array(event_data, e'\n');
  metadata text[] = string_to_array(event_metadata, e'\n');
  state text[] = string_to_array(states, e'\n');
begin
  if current_setting('transaction_isolation') <> 'read committed' then
    raise 'event_store.append must run in READ COMMITTED, not %', current_setting('transaction_isolation');
  end if;
  if pg_current_xact_id_if_assigned() is not null then
    raise 'event_store.append must be the first to write in its transaction';
  end if;

  busy := '{}';
  -- A tenth of the time that a query takes for ten commands.
  for i in 1 .. cardinality(tenant_locks) loop
    if not pg_try_advisory_xact_lock_shared(tenant_locks[i]) then
      busy := busy || i;
    end if;
  end loop;
  refused := busy;

  perform case
    when lock_exclusive[i] then pg_advisory_xact_lock(lock_keys[i])
    else pg_advisory_xact_lock_shared(lock_keys[i])
  end
  from generate_series(1, cardinality(lock_keys)) i;

  select jsonb_agg(jsonb_build_object(
      'command', stream_commands[i], 'verdict', 'version', 'subject', stream_ids[i],
      'actual', coalesce(t.version, 0)::text)),
    (select max(e.epoch) from event_store.epochs e)
  into append.refusals, append.epoch
  from generate_series(1, cardinality(stream_ids)) i
  left join event_store.streams t on t.tenant_id = tenants[stream_commands[i]] and t.stream_id = stream_ids[i]
  where coalesce(t.version, 0) <> stream_expected[i];

  -- Nearly always there is none, and nothing more to do.
  if exists (select from event_store.closed_tenants t where t.tenant_id = any (tenants)) then
    select coalesce(append.refusals || jsonb_agg(f), append.refusals, jsonb_agg(f)) into append.refusals from (
      select i as command, 'closed' as verdict, t.reason as subject, null as actual
      from generate_series(1, cardinality(tenants)) i
      join event_store.closed_tenants t on t.tenant_id = tenants[i]
    ) f;
  end if;

  if guard_commands <> '{}' then
    select coalesce(append.refusals || jsonb_agg(f), append.refusals, jsonb_agg(f)) into append.refusals from (
      select guard_commands[i] as command, 'guard' as verdict, guard_streams[i] as subject,
        coalesce(t.version, 0)::text as actual
      from generate_series(1, cardinality(guard_streams)) i
      left join event_store.streams t
        on t.tenant_id = tenants[guard_commands[i]] and t.stream_id = guard_streams[i]
      where coalesce(t.version, 0) <> guard_versions[i]
    ) f;
  end if;

  if coalesce(unlinked, keys, counters, repeats) is not null then
    select coalesce(append.refusals || jsonb_agg(f), append.refusals, jsonb_agg(f)) into append.refusals from (
      select r.c as command, 'repeated' as verdict, k.key as subject, null as actual
      from json_to_recordset(repeats) r(c int, integration uuid, key text)
      join event_store.idempotency_keys k
        on k.tenant_id = tenants[r.c] and k.integration_id = r.integration and k.key = r.key
        and k.created_at > times[r.c] - interval '24 hours'
      union all
      select u.c, 'linked', u.target::text, u.kind
      from json_to_recordset(unlinked) u(c int, target uuid, kind text)
      where exists (
        select from event_store.links l
        where l.tenant_id = tenants[u.c] and l.target = u.target and (u.kind is null or l.kind = u.kind))
      union all
      select k.c, 'taken', k.kind, k.key
      from json_to_recordset(keys) k(c int, kind text, key text, stream uuid)
      join event_store.reservations r on r.tenant_id = tenants[k.c] and r.kind = k.kind and r.key = k.key
      -- The same command may take the key from the stream that holds it.
      where r.stream_id <> k.stream and not exists (
        select from json_to_recordset(unkeys) d(c int, kind text, key text, stream uuid)
        where d.c = k.c and d.kind = k.kind and d.key = k.key and d.stream = r.stream_id)
      union all
      select n.c, 'counter', n.name, coalesce(t.value, 0)::text
      from json_to_recordset(counters) n(c int, name text, expected bigint)
      left join event_store.counters t on t.tenant_id = tenants[n.c] and t.name = n.name
      where coalesce(t.value, 0) <> n.expected
    ) f;
  end if;

  if append.refusals is not null then
    refused := refused || array(select (r -> 'command')::integer from jsonb_array_elements(append.refusals) r);
  end if;

  with appended as (
    insert into event_store.events
      (tenant_id, stream_id, version, epoch, partition, event_id, type, schema_version, data, metadata, recorded_at)
    select tenants[event_commands[i]], event_streams[i], event_versions[i], append.epoch,
      partitions[event_commands[i]], event_ids[i], event_types[i], event_schemas[i], data[i]::jsonb,
      metadata[i]::jsonb, times[event_commands[i]]
    from generate_series(1, cardinality(event_ids)) i
    where event_commands[i] <> all (refused)
    returning position
  ), folded as (
    insert into event_store.streams as t (tenant_id, stream_id, kind, version, state, state_version)
    select tenants[stream_commands[i]], stream_ids[i], stream_kinds[i], stream_versions[i], state[i]::json,
      state_versions[i]
    from generate_series(1, cardinality(stream_ids)) i
    where stream_commands[i] <> all (refused)
    on conflict (tenant_id, stream_id) do update
      set version = excluded.version, state = excluded.state, state_version = excluded.state_version
  )
  select array_agg(position) into append.positions from appended;
  transaction_id := pg_current_xact_id_if_assigned();

  if unlinks is not null then
    delete from event_store.links t
    using json_to_recordset(unlinks) l(c int, target uuid, kind text, source uuid)
    where l.c <> all (refused)
      and t.tenant_id = tenants[l.c] and t.target = l.target and t.kind = l.kind and t.source = l.source;
  end if;

  if links is not null then
    insert into event_store.links (tenant_id, target, kind, source)
    select tenants[l.c], l.target, l.kind, l.source
    from json_to_recordset(links) l(c int, target uuid, kind text, source uuid)
    where l.c <> all (refused)
    on conflict do nothing;
  end if;

  if unkeys is not null then
    delete from event_store.reservations t
    using json_to_recordset(unkeys) k(c int, kind text, key text, stream uuid)
    where k.c <> all (refused)
      and t.tenant_id = tenants[k.c] and t.kind = k.kind and t.key = k.key and t.stream_id = k.stream;
  end if;

  if keys is not null then
    insert into event_store.reservations (tenant_id, kind, key, stream_id)
    select tenants[k.c], k.kind, k.key, k.stream
    from json_to_recordset(keys) k(c int, kind text, key text, stream uuid)
    where k.c <> all (refused)
    on conflict do nothing;
  end if;

  if counters is not null then
    insert into event_store.counters as t (tenant_id, name, value)
    select tenants[n.c], n.name, n.value
    from json_to_recordset(counters) n(c int, name text, value bigint)
    where n.c <> all (refused)
    on conflict (tenant_id, name) do update set value = excluded.value;
  end if;

  if repeats is not null then
    insert into event_store.idempotency_keys as t
      (tenant_id, integration_id, key, request_hash, status, streams, outcome, created_at)
    select tenants[r.c], r.integration, r.key, decode(r.hash, 'hex'), r.status, r.streams, r.outcome, times[r.c]
    from json_to_recordset(repeats) r(
      c int, integration uuid, key text, hash text, status smallint, streams jsonb, outcome jsonb)
    where r.c <> all (refused)
    on conflict (tenant_id, integration_id, key) do update
      set request_hash = excluded.request_hash, status = excluded.status, streams = excluded.streams,
        outcome = excluded.outcome, created_at = excluded.created_at;
  end if;

  if subjects is not null then
    insert into event_store.subject_keys (tenant_id, subject, wrapped)
    select tenants[k.c], k.subject, decode(k.wrapped, 'hex')
    from json_to_recordset(subjects) k(c int, subject uuid, wrapped text)
    where k.c <> all (refused);
  end if;
end $$;

create function event_store.append_and_erase(
  lock_keys bigint[], lock_exclusive boolean[],
  tenants integer[], partitions smallint[], times timestamptz[],
  stream_commands integer[], stream_ids uuid[], stream_kinds text[], stream_expected integer[],
  stream_versions integer[], state_versions smallint[], states text,
  event_commands integer[], event_streams uuid[], event_versions integer[], event_ids uuid[], event_types text[],
  event_schemas smallint[], event_data text, event_metadata text,
  guard_commands integer[], guard_streams uuid[], guard_versions integer[],
  unlinked json, links json, unlinks json, keys json, unkeys json, counters json, repeats json, subjects json,
  erasures json, tenant_locks bigint[] default '{}',
  out refusals jsonb, out epoch integer, out transaction_id xid8, out positions bigint[], out busy integer[]
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
  select a.refusals, a.epoch, a.transaction_id, a.positions, a.busy
  into append_and_erase.refusals, append_and_erase.epoch, append_and_erase.transaction_id, append_and_erase.positions,
    append_and_erase.busy
  from event_store.append(
    lock_keys, lock_exclusive, tenants, partitions, times,
    stream_commands, stream_ids, stream_kinds, stream_expected, stream_versions, state_versions, states,
    event_commands, event_streams, event_versions, event_ids, event_types, event_schemas, event_data, event_metadata,
    guard_commands, guard_streams, guard_versions,
    unlinked, links, unlinks, keys, unkeys, counters, repeats, subjects, tenant_locks
  ) a;
  refused := busy || array(
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
