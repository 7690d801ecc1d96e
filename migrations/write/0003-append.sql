-- One batch of commands, each accepted or refused by itself, in one transaction.
--
-- Every section is a JSON array (or null) whose elements name their command by its index c:
--   streams   {c, tenant, stream, kind, expected, version, state, state_version}
--   events    {c, tenant, partition, stream, version, id, type, schema, data, metadata, at}
--   guards    {c, tenant, stream, version}     the stream still has that version
--   unlinked  {c, tenant, target, kind}        no link of that kind (null: of any) points at the target
--   links     {c, tenant, target, kind, source, add}
--   keys      {c, tenant, kind, key, stream, add}
--   counters  {c, tenant, name, expected, value}
--   repeats   {c, tenant, integration, key, hash, status, streams, outcome, at}
--   subjects  {c, tenant, subject, wrapped}
--
-- Answers one row for each reason to refuse a command, and for each stream written one row with verdict
-- `appended` and detail `epoch.transaction_id.position` of its last event.
--
-- lock_keys come sorted, so that no two batches wait for each other. Locks come in a statement of their own: the
-- verdicts then see all that the previous holders committed, and a transaction id is never older than its locks,
-- which keeps the versions of a stream in feed order.
create function event_store.append(
  lock_keys bigint[], lock_exclusive boolean[],
  streams json, events json, guards json, unlinked json, links json, keys json, counters json, repeats json,
  subjects json
) returns table (command integer, verdict text, detail text)
language plpgsql
set enable_seqscan = off
set enable_hashjoin = off
set enable_mergejoin = off
set plan_cache_mode = force_generic_plan
as $$
declare
  refused integer[];
  verdicts text[];
  details text[];
  now_epoch integer;
begin
  perform case when l.exclusive then pg_advisory_xact_lock(l.key) else pg_advisory_xact_lock_shared(l.key) end
  from unnest(lock_keys, lock_exclusive) as l(key, exclusive);

  select array_agg(f.c), array_agg(f.verdict), array_agg(f.detail) into refused, verdicts, details from (
    select r.c, 'repeated' as verdict, null as detail
    from json_to_recordset(repeats) r(c int, tenant int, integration uuid, key text, at timestamptz)
    join event_store.idempotency_keys k
      on k.tenant_id = r.tenant and k.integration_id = r.integration and k.key = r.key
      and k.created_at > r.at - interval '24 hours'
    union all
    select s.c, 'version', coalesce(t.version, 0)::text
    from json_to_recordset(streams) s(c int, tenant int, stream uuid, expected int)
    left join event_store.streams t on t.tenant_id = s.tenant and t.stream_id = s.stream
    where coalesce(t.version, 0) <> s.expected
    union all
    select g.c, 'guard', coalesce(t.version, 0)::text
    from json_to_recordset(guards) g(c int, tenant int, stream uuid, version int)
    left join event_store.streams t on t.tenant_id = g.tenant and t.stream_id = g.stream
    where coalesce(t.version, 0) <> g.version
    union all
    select u.c, 'linked', u.kind
    from json_to_recordset(unlinked) u(c int, tenant int, target uuid, kind text)
    where exists (
      select from event_store.links l
      where l.tenant_id = u.tenant and l.target = u.target and (u.kind is null or l.kind = u.kind))
    union all
    select k.c, 'taken', json_build_array(k.kind, k.key)::text
    from json_to_recordset(keys) k(c int, tenant int, kind text, key text, stream uuid, add boolean)
    join event_store.reservations r on r.tenant_id = k.tenant and r.kind = k.kind and r.key = k.key
    where k.add and r.stream_id <> k.stream and not exists (
      select from json_to_recordset(keys) d(c int, tenant int, kind text, key text, stream uuid, add boolean)
      where not d.add and d.c = k.c and d.kind = k.kind and d.key = k.key and d.stream = r.stream_id)
    union all
    select n.c, 'counter', n.name
    from json_to_recordset(counters) n(c int, tenant int, name text, expected bigint)
    left join event_store.counters t on t.tenant_id = n.tenant and t.name = n.name
    where coalesce(t.value, 0) <> n.expected
  ) f;
  refused := coalesce(refused, '{}');

  select max(epoch) into now_epoch from event_store.epochs;

  return query with appended as (
    insert into event_store.events
      (tenant_id, stream_id, version, epoch, partition, event_id, type, schema_version, data, metadata, recorded_at)
    select e.tenant, e.stream, e.version, now_epoch, e.partition, e.id, e.type, e.schema, e.data, e.metadata, e.at
    from json_to_recordset(events) e(
      c int, tenant int, partition smallint, stream uuid, version int, id uuid, type text, schema smallint,
      data jsonb, metadata jsonb, at timestamptz)
    where e.c <> all (refused)
    returning events.tenant_id, events.stream_id, events.version, events.epoch, events.transaction_id, events.position
  )
  select s.c, 'appended', a.epoch || '.' || a.transaction_id || '.' || a.position
  from json_to_recordset(streams) s(c int, tenant int, stream uuid, version int)
  join appended a on a.tenant_id = s.tenant and a.stream_id = s.stream and a.version = s.version;

  insert into event_store.streams as t (tenant_id, stream_id, kind, version, state, state_version)
  select s.tenant, s.stream, s.kind, s.version, s.state, s.state_version
  from json_to_recordset(streams) s(
    c int, tenant int, stream uuid, kind text, version int, state jsonb, state_version smallint)
  where s.c <> all (refused)
  on conflict (tenant_id, stream_id) do update
    set version = excluded.version, state = excluded.state, state_version = excluded.state_version;

  if links is not null then
    delete from event_store.links t
    using json_to_recordset(links) l(c int, tenant int, target uuid, kind text, source uuid, add boolean)
    where not l.add and l.c <> all (refused)
      and t.tenant_id = l.tenant and t.target = l.target and t.kind = l.kind and t.source = l.source;
    insert into event_store.links (tenant_id, target, kind, source)
    select l.tenant, l.target, l.kind, l.source
    from json_to_recordset(links) l(c int, tenant int, target uuid, kind text, source uuid, add boolean)
    where l.add and l.c <> all (refused)
    on conflict do nothing;
  end if;

  if keys is not null then
    delete from event_store.reservations t
    using json_to_recordset(keys) k(c int, tenant int, kind text, key text, stream uuid, add boolean)
    where not k.add and k.c <> all (refused)
      and t.tenant_id = k.tenant and t.kind = k.kind and t.key = k.key and t.stream_id = k.stream;
    insert into event_store.reservations (tenant_id, kind, key, stream_id)
    select k.tenant, k.kind, k.key, k.stream
    from json_to_recordset(keys) k(c int, tenant int, kind text, key text, stream uuid, add boolean)
    where k.add and k.c <> all (refused)
    on conflict do nothing;
  end if;

  if counters is not null then
    insert into event_store.counters as t (tenant_id, name, value)
    select n.tenant, n.name, n.value
    from json_to_recordset(counters) n(c int, tenant int, name text, value bigint)
    where n.c <> all (refused)
    on conflict (tenant_id, name) do update set value = excluded.value;
  end if;

  if repeats is not null then
    insert into event_store.idempotency_keys as t
      (tenant_id, integration_id, key, request_hash, status, streams, outcome, created_at)
    select r.tenant, r.integration, r.key, decode(r.hash, 'hex'), r.status, r.streams, r.outcome, r.at
    from json_to_recordset(repeats) r(
      c int, tenant int, integration uuid, key text, hash text, status smallint, streams jsonb, outcome jsonb,
      at timestamptz)
    where r.c <> all (refused)
    on conflict (tenant_id, integration_id, key) do update
      set request_hash = excluded.request_hash, status = excluded.status, streams = excluded.streams,
        outcome = excluded.outcome, created_at = excluded.created_at;
  end if;

  if subjects is not null then
    insert into event_store.subject_keys (tenant_id, subject, wrapped)
    select k.tenant, k.subject, decode(k.wrapped, 'hex')
    from json_to_recordset(subjects) k(c int, tenant int, subject uuid, wrapped text)
    where k.c <> all (refused);
  end if;

  return query select u.c, u.v, u.d from unnest(refused, verdicts, details) as u(c, v, d);
end $$;
