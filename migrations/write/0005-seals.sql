-- Proof that the events are those that were written: blocks of each tenant's events in feed order, each holding a digest
-- of every event and the seal of the block before it.

create type event_store.feed_position as (epoch integer, transaction_id xid8, position bigint);

create table event_store.seals (
  tenant_id integer not null,
  number integer not null,
  -- The block holds the tenant's events behind `after`, where the previous block ended, up to its last one.
  after event_store.feed_position not null,
  up_to event_store.feed_position not null,
  events integer not null,
  stream_ids uuid[] not null,
  versions integer[] not null,
  digests bytea[] not null,
  sealed_at timestamptz not null,
  -- The seal before this one; empty in the first block.
  previous bytea not null,
  seal bytea not null,
  primary key (tenant_id, number)
);
-- Random bytes do not get smaller.
alter table event_store.seals alter digests set storage external;

-- How far sealing has come. Moved in the transaction that writes the seals.
create table event_store.seal_checkpoints (
  partition smallint primary key,
  reached event_store.feed_position not null
);

-- Every column of an event, in a text that depends neither on a session's settings nor on this server, so that a dump
-- and restore leaves it as it is. A line holds no line break but for the last, so no two events have the same text.
-- Seals must verify for good: a column that comes later may enter only where it is set.
create function event_store.digest(e event_store.events) returns bytea
language sql stable
return sha256(convert_to(concat_ws(e'\n',
  e.tenant_id, e.stream_id, e.version, e.position, e.transaction_id, e.epoch, e.partition, e.event_id, e.schema_version,
  extract(epoch from e.recorded_at), e.data, e.metadata, e.type), 'UTF8'));

-- What the block's seal must be: over the previous seal, everything else in the row, and the digests.
create function event_store.seal_of(s event_store.seals) returns bytea
language sql stable
return sha256(s.previous
  || convert_to(concat_ws(e'\n',
    s.tenant_id, s.number, s.after, s.up_to, s.events, extract(epoch from s.sealed_at),
    array_to_string(s.stream_ids, ',', '-'), array_to_string(s.versions, ',', '-'), ''), 'UTF8')
  || coalesce((select string_agg(d.digest, '' order by d.place)
    from unnest(s.digests) with ordinality as d(digest, place)), ''));

-- Seals the next events of a partition that the feed shows, at most `most` of them, in a block for each tenant.
-- Answers how many events it read, and how many of them it sealed: one that stands in another partition than its
-- tenant's, or before what is sealed, was not written by this service and stays without a seal.
--
-- The lock comes in a statement of its own, so that the next one sees what its previous holder committed. That one
-- computes everything before it writes its first row: only then it gets a transaction id, which holds the feed back.
create function event_store.seal(partition smallint, most integer, out read integer, out sealed integer)
language plpgsql
-- The tables are empty when a session plans this, and grow under its plan.
set enable_seqscan = off
set plan_cache_mode = force_generic_plan
as $$
#variable_conflict use_column
declare
  began event_store.feed_position;
  moved integer;
begin
  perform pg_advisory_xact_lock(hashtext('event_store.seal'), seal.partition);
  began := coalesce(
    (select c.reached from event_store.seal_checkpoints c where c.partition = seal.partition), '(0,0,0)');

  with batch as materialized (
    select e.tenant_id, e.stream_id, e.version, event_store.digest(e) as digest,
      row(e.epoch, e.transaction_id, e.position)::event_store.feed_position as at,
      -- A number sorts far faster than a feed position.
      row_number() over (order by e.epoch, e.transaction_id, e.position) as place
    from event_store.events e
    where e.partition = seal.partition
      and (e.epoch, e.transaction_id, e.position) > (began.epoch, began.transaction_id, began.position)
      and (e.epoch, e.transaction_id)
        < ((select max(epoch) from event_store.epochs), pg_snapshot_xmin(pg_current_snapshot()))
    order by e.epoch, e.transaction_id, e.position
    limit seal.most
  ), heads as materialized (
    select t.id as tenant_id, coalesce(s.number, 0) as number, coalesce(s.seal, '') as seal,
      coalesce(s.up_to, '(0,0,0)') as up_to
    from (select distinct tenant_id from batch) b
    join platform.tenants t on t.id = b.tenant_id and t.partition = seal.partition
    left join lateral (
      select s.number, s.seal, s.up_to from event_store.seals s
      where s.tenant_id = t.id order by s.number desc limit 1
    ) s on true
  ), blocks as (
    select tenant_id, (array_agg(b.at order by b.place desc))[1] as up_to, count(*)::integer as events,
      array_agg(b.stream_id order by b.place) as stream_ids, array_agg(b.version order by b.place) as versions,
      array_agg(b.digest order by b.place) as digests
    -- offset 0: only an event's own tenant is asked how far it is sealed, not all of them.
    from (select b.*, h.up_to as sealed_to from batch b join heads h using (tenant_id) offset 0) b
    where b.at > b.sealed_to
    group by tenant_id
  ), rows as (
    -- As the table has its columns.
    select tenant_id, h.number + 1, h.up_to, b.up_to, b.events, b.stream_ids, b.versions, b.digests, now(), h.seal
    from blocks b join heads h using (tenant_id)
  ), written as (
    insert into event_store.seals
    select r.*, event_store.seal_of(row(r.*, ''::bytea)::event_store.seals) from rows r
    returning events
  ), checkpoint as (
    insert into event_store.seal_checkpoints as c (partition, reached)
    select seal.partition, b.at from batch b order by b.place desc limit 1
    on conflict (partition) do update set reached = excluded.reached where c.reached = began
    returning 1
  )
  select (select count(*) from batch), (select coalesce(sum(events), 0) from written), (select count(*) from checkpoint)
  into seal.read, seal.sealed, moved;

  if read > 0 and moved = 0 then
    raise 'the checkpoint of the seals of partition % was moved meanwhile', seal.partition;
  end if;
end $$;
