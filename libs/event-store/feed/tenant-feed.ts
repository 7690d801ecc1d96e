import { Injectable } from '@nestjs/common';
import { WriteDatabase } from '#platform/database';
import type { TenantRef } from '#platform/request-context';
import { sentBytes } from '#platform/sent-bytes';
import { Codec, EVENT_COLUMNS, type EventRow } from '../codec';
import type { RecordedEvent } from '../events';
import { type Position, parsePosition } from '../position';
import { PAGE_WEIGHT } from './feed-queries';

/** A part of a tenant's events in feed order. */
export interface TenantEvents {
  events: RecordedEvent[];
  /** Every event of the tenant up to there has been read. */
  reached: Position;
  /** Whether there are others at once. */
  more: boolean;
}

/** Which of a tenant's events are read, by their type. */
export interface WantedEvents {
  /** Wanted whoever wrote them. */
  types: readonly string[];
  /** Wanted unless one of `sources` wrote them. */
  typesUnlessFrom: readonly string[];
  sources: readonly string[];
}

/**
 * Its partition, which it shares with others, is gone along for so many events at most: a reader goes on from where
 * that came to. It is gone along no further than the last event of a full page, and without the events' data, which
 * would be written to disk meanwhile.
 */
const QUERY = `
  with scanned as materialized (
    select tenant_id, stream_id, version, type, metadata ->> 'source' as source, epoch, transaction_id, position,
      ${sentBytes('data')} as weight
    from event_store.events
    where partition = $2 and (epoch, transaction_id, position) > ($3, $4::xid8, $5)
      and (epoch, transaction_id)
        < ((select max(epoch) from event_store.epochs), pg_snapshot_xmin(pg_current_snapshot()))
    order by epoch, transaction_id, position limit $6
  ), own as materialized (
    select tenant_id, stream_id, version, weight,
      sum(weight) over (order by epoch, transaction_id, position rows unbounded preceding) from (
        select * from scanned
        where tenant_id = $1
          and ($8::text[] is null or type = any ($8) or type = any ($9) and source <> all ($10))
        order by epoch, transaction_id, position limit $7
      ) s
  ), page as (
    select count(*) = $7 or coalesce(max(sum), 0) >= ${PAGE_WEIGHT} as is_full from own
  )
  select ${EVENT_COLUMNS},
    case when not p.is_full then (select count(*)::int from scanned) end as count,
    case when not p.is_full then
      (select epoch || '.' || transaction_id || '.' || position from scanned
       order by epoch desc, transaction_id desc, position desc limit 1) end as last
  from page p left join (
    (select * from own where sum - weight < ${PAGE_WEIGHT}) o
    join event_store.events e using (tenant_id, stream_id, version)
  ) on true
  order by e.epoch, e.transaction_id, e.position`;

interface FeedRow extends EventRow {
  /** How many were gone along, and where the last of them stands; null when the page is full. */
  count: number | null;
  last: string | null;
}

const SCANNED = 10_000;

/** Reads the feed for one tenant. */
@Injectable()
export class TenantFeed {
  constructor(
    private readonly database: WriteDatabase,
    private readonly codec: Codec,
  ) {}

  /**
   * At most `limit` events of the tenant behind a position, all or those that are wanted, fewer where they are long; one
   * that cannot be read throws when its data is asked for.
   */
  async read(
    tenant: Pick<TenantRef, 'id' | 'partition'>,
    after: Position,
    limit: number,
    wanted?: WantedEvents,
  ): Promise<TenantEvents> {
    const { rows } = await this.database.pool.query<FeedRow>({
      name: 'event_store.tenant_feed',
      text: QUERY,
      values: [
        tenant.id,
        tenant.partition,
        after.epoch,
        after.transactionId.toString(),
        after.position.toString(),
        SCANNED,
        limit,
        wanted?.types,
        wanted?.typesUnlessFrom,
        wanted?.sources,
      ],
    });
    const own = rows.filter(({ event_id }) => event_id !== null);
    const [{ count, last }] = rows;
    const isFull = count === null;
    const reached = isFull ? own[own.length - 1].at : last;
    return {
      events: own.map((row) => this.codec.decodeLeniently(row)),
      reached: reached === null ? after : parsePosition(reached),
      more: isFull || count === SCANNED,
    };
  }
}
