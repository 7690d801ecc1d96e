-- All that a batch of commands asks for before they decide, in one round trip and one snapshot.
--
-- Every section is a JSON array (or null) whose elements carry n, the number of the question:
--   streams   {n, tenant, stream}
--   followed  {n, tenant, stream, field}   the stream whose id stands in that field of another stream's state
--   links     {n, tenant, target, kind}    how many links of that kind (null: of any) point at the target
--   keys      {n, tenant, kind, key}       which stream holds the key
--   counters  {n, tenant, name}
--   repeats   {n, tenant, integration, key, at}   kept for 24 hours
create function event_store.load(
  streams json, followed json, links json, keys json, counters json, repeats json
) returns table (n integer, stream_id uuid, kind text, version integer, state json, state_version smallint, wrapped bytea, value bigint)
language plpgsql stable
set enable_seqscan = off
set enable_hashjoin = off
set enable_mergejoin = off
set plan_cache_mode = force_generic_plan
as $$
begin
  return query
  with found as (
    select q.n, q.tenant, s.stream_id, s.kind, s.version, s.state, s.state_version
    from json_to_recordset(streams) q(n int, tenant int, stream uuid)
    join event_store.streams s on s.tenant_id = q.tenant and s.stream_id = q.stream
    union all
    select q.n, q.tenant, t.stream_id, t.kind, t.version, t.state, t.state_version
    from json_to_recordset(followed) q(n int, tenant int, stream uuid, field text)
    -- offset 0 keeps both steps as look-ups by the whole key: joined, a plan made while the table is empty reads
    -- every stream of the tenant for the second.
    cross join lateral (
      select split_part(s.state -> 'data' ->> q.field, '_', 2)::uuid as id from event_store.streams s
      where s.tenant_id = q.tenant and s.stream_id = q.stream offset 0
    ) target
    cross join lateral (
      select * from event_store.streams t where t.tenant_id = q.tenant and t.stream_id = target.id offset 0
    ) t
  )
  select f.n, f.stream_id, f.kind, f.version, f.state, f.state_version, k.wrapped, null::bigint
  from found f
  left join event_store.subject_keys k
    on f.state -> 'sealed' is not null and k.tenant_id = f.tenant and k.subject = f.stream_id
  union all
  select q.n, null, null, null, null, null, null,
    case when q.kind is null
      then (select count(*) from event_store.links l where l.tenant_id = q.tenant and l.target = q.target)
      else (select count(*) from event_store.links l
            where l.tenant_id = q.tenant and l.target = q.target and l.kind = q.kind) end
  from json_to_recordset(links) q(n int, tenant int, target uuid, kind text)
  union all
  select q.n, r.stream_id, null, null, null, null, null, null
  from json_to_recordset(keys) q(n int, tenant int, kind text, key text)
  join event_store.reservations r on r.tenant_id = q.tenant and r.kind = q.kind and r.key = q.key
  union all
  select q.n, null, null, null, null, null, null, c.value
  from json_to_recordset(counters) q(n int, tenant int, name text)
  join event_store.counters c on c.tenant_id = q.tenant and c.name = q.name
  union all
  select q.n, null, null, null,
    json_build_object('status', i.status, 'streams', i.streams, 'outcome', i.outcome), null, i.request_hash, null
  from json_to_recordset(repeats) q(n int, tenant int, integration uuid, key text, at timestamptz)
  join event_store.idempotency_keys i
    on i.tenant_id = q.tenant and i.integration_id = q.integration and i.key = q.key
    and i.created_at > q.at - interval '24 hours';
end $$;
