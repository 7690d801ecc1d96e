import { Injectable } from '@nestjs/common';
import { WriteDatabase } from '#platform/database';
import type { TenantRef } from '#platform/request-context';
import { Codec, EVENT_COLUMNS, type EventRow } from './codec';
import type { RecordedEvent } from './events';
import { type Position, parsePosition } from './position';

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
 * that came to.
 */
const QUERY = `
  with scanned as materialized (
    select f.* from event_store.events f
    where f.partition = $2 and (f.epoch, f.transaction_id, f.position) > ($3, $4::xid8, $5)
      and (f.epoch, f.transaction_id)
        < ((select max(epoch) from event_store.epochs), pg_snapshot_xmin(pg_current_snapshot()))
    order by f.epoch, f.transaction_id, f.position limit $6
  ), own as (
    select * from scanned
    where tenant_id = $1
      and ($8::text[] is null or type = any ($8) or type = any ($9) and metadata ->> 'source' <> all ($10))
    order by epoch, transaction_id, position limit $7
  )
  select ${EVENT_COLUMNS}, s.count, s.last
  from (select count(*)::int as count,
          (select epoch || '.' || transaction_id || '.' || position from scanned
           order by epoch desc, transaction_id desc, position desc limit 1) as last from scanned) s
  left join own e on true order by e.epoch, e.transaction_id, e.position`;

const SCANNED = 10_000;

/** Reads the feed for one tenant. */
@Injectable()
export class TenantFeed {
  constructor(
    private readonly database: WriteDatabase,
    private readonly codec: Codec,
  ) {}

  /**
   * At most `limit` events of the tenant behind a position, all or those that are wanted; one that cannot be read
   * throws when its data is asked for.
   */
  async read(
    tenant: Pick<TenantRef, 'id' | 'partition'>,
    after: Position,
    limit: number,
    wanted?: WantedEvents,
  ): Promise<TenantEvents> {
    const { rows } = await this.database.pool.query<EventRow & { count: number; last: string | null }>({
      name: 'event_store.tenant_feed',
      text: QUERY,
      values: [
        ...[
          tenant.id,
          tenant.partition,
          after.epoch,
          after.transactionId.toString(),
          after.position.toString(),
        ],
        ...[SCANNED, limit],
        ...[wanted?.types, wanted?.typesUnlessFrom, wanted?.sources],
      ],
    });
    const own = rows.filter(({ event_id }) => event_id !== null);
    const isFull = own.length === limit;
    const [{ count, last }] = rows;
    const reached = isFull ? own[own.length - 1].at : last;
    return {
      events: own.map((row) => this.codec.decodeLeniently(row)),
      reached: reached === null ? after : parsePosition(reached),
      more: isFull || count === SCANNED,
    };
  }
}
