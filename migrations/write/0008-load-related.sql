-- What a batch of commands asks beside event_store.load, in the same statement: streams found by what they have to do
-- with another, as JSON {n, tenant, stream | kind, key, path, linked}.
--
-- Begins at the stream, or at the one that holds the natural key; goes on to the stream whose id stands in the first
-- field of the path (of at most two) in its state, from there to that of the second. The answer is where this ends, or
-- with `linked` every stream that has a link of such a kind to it: several rows of one n.
create function event_store.load_related(questions json)
returns table (n integer, stream_id uuid, kind text, version integer, state json, state_version smallint, wrapped bytea, value bigint)
language plpgsql stable
set enable_seqscan = off
set enable_hashjoin = off
set enable_mergejoin = off
set plan_cache_mode = force_generic_plan
as $$
begin
  return query
  select q.n, s.stream_id, s.kind, s.version, s.state, s.state_version, k.wrapped, null::bigint
  from json_to_recordset(questions) q(n int, tenant int, stream uuid, kind text, key text, path text[], linked text[])
  -- offset 0 keeps each step a look-up by the whole key, as in event_store.load.
  cross join lateral (
    select q.stream as id where q.stream is not null
    union all
    select r.stream_id from event_store.reservations r
    where q.stream is null and r.tenant_id = q.tenant and r.kind = q.kind and r.key = q.key offset 0
  ) start
  cross join lateral (
    select start.id where q.path[1] is null
    union all
    select split_part(f.state -> 'data' ->> q.path[1], '_', 2)::uuid from event_store.streams f
    where q.path[1] is not null and f.tenant_id = q.tenant and f.stream_id = start.id offset 0
  ) one
  cross join lateral (
    select one.id where q.path[2] is null
    union all
    select split_part(f.state -> 'data' ->> q.path[2], '_', 2)::uuid from event_store.streams f
    where q.path[2] is not null and f.tenant_id = q.tenant and f.stream_id = one.id offset 0
  ) two
  cross join lateral (
    select two.id where q.linked is null
    union all
    select l.source from event_store.links l
    where q.linked is not null and l.tenant_id = q.tenant and l.target = two.id and l.kind = any(q.linked) offset 0
  ) found
  cross join lateral (
    select * from event_store.streams t where t.tenant_id = q.tenant and t.stream_id = found.id offset 0
  ) s
  left join event_store.subject_keys k
    on s.state -> 'sealed' is not null and k.tenant_id = q.tenant and k.subject = s.stream_id;
end $$;
