import { Injectable } from '@nestjs/common';
import { WriteDatabase } from '#platform/database';
import { sentBytes } from '#platform/database/sent-bytes';
import type { TenantRef } from '#platform/request-context';
import { Codec, EVENT_COLUMNS, type EventRow } from '../codec';
import type { RecordedEvent } from '../events';
import { type Position, parsePosition } from '../position';
import { PAGE_WEIGHT } from './feed-queries';

/** A page of a tenant's events in feed order. */
export interface TenantEvents {
  events: RecordedEvent[];
  /** Every event of the tenant up to this position has been read. */
  reached: Position;
  /** Whether there may be more events already. */
  more: boolean;
}

/** Selects a tenant's events by type. */
export interface WantedEvents {
  /** Types that are wanted from any source. */
  types: readonly string[];
  /** Types that are wanted unless the event comes from one of `sources`. */
  typesUnlessFrom: readonly string[];
  sources: readonly string[];
}

/**
 * Scans the tenant's partition, which other tenants share, for a limited number of events; the next read continues
 * after the last scanned one. A full page ends the scan at its last event. The scan omits the events' data, which would
 * have to be spilled to disk.
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
  /** The number of scanned events, and the position of the last of them; null when the page is full. */
  count: number | null;
  last: string | null;
}

const SCANNED = 10_000;

/** Reads the feed of one tenant. */
@Injectable()
export class TenantFeed {
  constructor(
    private readonly database: WriteDatabase,
    private readonly codec: Codec,
  ) {}

  /**
   * Reads at most `limit` events of the tenant after a position, all or only wanted ones, fewer if they are long. An
   * unreadable event throws when its data is accessed.
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
