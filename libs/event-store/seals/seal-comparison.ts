import type { ClientBase } from 'pg';
import type { SealChain } from './seal-chain';

/** An event that differs from what was sealed. Fields of an event that no longer exists are null. */
export interface SealedEvent {
  streamId: string;
  version: number;
  /** The event's present position: `epoch.transactionId.position`. */
  position: string | null;
  eventId: string | null;
  type: string | null;
}

/**
 * The first event, in feed order, that was changed, removed or inserted after sealing. `unsealed`: the event comes
 * after the last seal, although sealing has already passed it.
 */
export interface Difference {
  kind: 'changed' | 'removed' | 'inserted' | 'unsealed';
  /** The block that contains the event; null if none does. */
  block: number | null;
  event: SealedEvent;
}

export interface Comparison {
  first: Difference | null;
  /** Number of events that sealing has not reached. */
  unsealed: number;
  unsealedSince: Date | null;
}

/**
 * Joins the sealed and the stored events by stream and version. A digest covers the event's position, so equal digests
 * also prove the order. For events after the trusted blocks of a broken chain, nothing can be proved.
 */
const COMPARISON_QUERY = `
  with ends as (
    select greatest(s.up_to, $3::event_store.feed_position) as reached, s.up_to as sealed,
      case when $4 then greatest(s.up_to, $3::event_store.feed_position) else t.up_to end as compared
    from (
      select coalesce(
        (select up_to from event_store.seals where tenant_id = $1 order by number desc limit 1), '(0,0,0)') as up_to
    ) s
    cross join (
      select coalesce(
        (select up_to from event_store.seals where tenant_id = $1 and number = $2), '(0,0,0)') as up_to
    ) t
  ), written as (
    select s.number, d.place, d.stream_id, d.version, d.digest
    from event_store.seals s
    cross join lateral unnest(s.stream_ids, s.versions, s.digests)
      with ordinality as d(stream_id, version, digest, place)
    where s.tenant_id = $1 and s.number <= $2
  ), stored as (
    select e.stream_id, e.version, e.event_id, e.type, e.recorded_at, event_store.digest(e) as digest,
      row(e.epoch, e.transaction_id, e.position)::event_store.feed_position as at
    from event_store.events e where e.tenant_id = $1
    -- Digests are computed here: the join then carries them and not the events' data.
    offset 0
  ), different as materialized (
    select number, place, stream_id, version, event_id, type, recorded_at, at
    from written w full join stored e using (stream_id, version)
    where w.digest is distinct from e.digest
  ), found as (
    (select case when at is null then 'removed' else 'changed' end as kind, d.*,
       -- One that is gone stood behind the one before it.
       coalesce(at, (
         select coalesce(
           (select row(e.epoch, e.transaction_id, e.position)::event_store.feed_position from event_store.events e
            where e.tenant_id = $1 and e.stream_id = s.stream_ids[d.place - 1] and e.version = s.versions[d.place - 1]),
           s.after)
         from event_store.seals s where s.tenant_id = $1 and s.number = d.number)) as stood
     from different d where number is not null order by number, place limit 1)
    union all
    (select case when at > ends.sealed then 'unsealed' else 'inserted' end, d.*, at
     from different d cross join ends where number is null and at <= ends.compared order by at limit 1)
  )
  select f.kind, f.number as block, f.stream_id as "streamId", f.version, f.event_id as "eventId", f.type,
    (f.at).epoch || '.' || (f.at).transaction_id || '.' || (f.at).position as position,
    tail.unsealed, tail."unsealedSince"
  from (
    select count(*)::float8 as unsealed, min(recorded_at) as "unsealedSince"
    from different cross join ends where number is null and at > ends.reached
  ) tail
  left join lateral (select * from found order by stood, number nulls last limit 1) f on true`;

/**
 * Compares a tenant's events with the trusted blocks of its chain.
 * @param reached the position up to which the tenant's partition is sealed, as PostgreSQL prints it
 */
export async function compareEvents(
  client: ClientBase,
  tenantId: number,
  chain: SealChain,
  reached: string | null,
): Promise<Comparison> {
  type Row = SealedEvent & Pick<Comparison, 'unsealed' | 'unsealedSince'> & Omit<Difference, 'event'>;
  const { rows } = await client.query<Row | (Row & { kind: null })>(COMPARISON_QUERY, [
    tenantId,
    chain.trusted,
    reached,
    chain.fault === null,
  ]);
  const [{ unsealed, unsealedSince, kind, block, streamId, version, position, eventId, type }] = rows;
  const event = { streamId, version, position, eventId, type };
  return { first: kind && { kind, block, event }, unsealed, unsealedSince };
}
