import { Injectable } from '@nestjs/common';
import { WriteDatabase } from '#platform/database';
import { Codec, EVENT_COLUMNS, type EventRow } from './codec';
import type { RecordedEvent } from './events';
import { type Position, parsePosition } from './position';

/** Where a reader stands in one partition. */
export interface Cursor {
  partition: number;
  after: Position;
}

/**
 * The next events of each partition, in commit order. Only events below every open transaction are visible,
 * so that a commit that comes late is never skipped.
 */
export const FEED_QUERY = `
  select ${EVENT_COLUMNS}
  from unnest($1::smallint[], $2::integer[], $3::text[], $4::bigint[]) as c(partition, epoch, transaction_id, position)
  cross join lateral (
    select * from event_store.events f
    where f.partition = c.partition
      and (f.epoch, f.transaction_id, f.position) > (c.epoch, c.transaction_id::xid8, c.position)
      and (f.epoch, f.transaction_id)
        < ((select max(epoch) from event_store.epochs), pg_snapshot_xmin(pg_current_snapshot()))
    order by f.epoch, f.transaction_id, f.position
    limit (select $5::bigint)
  ) e
  order by e.partition, e.epoch, e.transaction_id, e.position`;

const OLDEST_QUERY = `
  select min(e.recorded_at) as oldest
  from unnest($1::smallint[], $2::integer[], $3::text[], $4::bigint[]) as c(partition, epoch, transaction_id, position)
  cross join lateral (
    select recorded_at from event_store.events f
    where f.partition = c.partition
      and (f.epoch, f.transaction_id, f.position) > (c.epoch, c.transaction_id::xid8, c.position)
    order by f.epoch, f.transaction_id, f.position
    limit (select $5::bigint)
  ) e`;

/** Reads the store in commit order, a partition at a time. */
@Injectable()
export class Feed {
  constructor(
    private readonly database: WriteDatabase,
    private readonly codec: Codec,
  ) {}

  /** At most `limit` events of each partition after its cursor. One that cannot be read throws when its data is asked for. */
  async read(cursors: Cursor[], limit: number): Promise<RecordedEvent[]> {
    const { rows } = await this.database.pool.query<EventRow>({
      name: 'event_store.feed',
      text: FEED_QUERY,
      values: feedParameters(cursors, limit),
    });
    return rows.map((row) => this.codec.decodeLeniently(row));
  }

  /** When the oldest event behind the cursors was recorded, counting those that an open transaction holds back. */
  async oldest(cursors: Cursor[]): Promise<Date | undefined> {
    const { rows } = await this.database.pool.query<{ oldest: Date | null }>({
      name: 'event_store.oldest',
      text: OLDEST_QUERY,
      values: feedParameters(cursors, 1),
    });
    return rows[0].oldest ?? undefined;
  }

  /** The numbers of all partitions. */
  async partitions(): Promise<number[]> {
    const { rows } = await this.database.pool.query<{ partition: number }>(
      'select generate_series(0, partitions - 1) as partition from platform.installation',
    );
    return rows.map(({ partition }) => partition);
  }

  /** The end of each partition that has events, as far as a reader could have come: nothing is missing before it. */
  async heads(): Promise<Map<number, Position>> {
    const { rows } = await this.database.pool.query<{ partition: number; at: string }>(
      `select p.partition, e.epoch || '.' || e.transaction_id || '.' || e.position as at
       from generate_series(0, (select partitions - 1 from platform.installation)) as p(partition)
       cross join lateral (
         select f.epoch, f.transaction_id, f.position from event_store.events f
         where f.partition = p.partition
           and (f.epoch, f.transaction_id)
             < ((select max(epoch) from event_store.epochs), pg_snapshot_xmin(pg_current_snapshot()))
         order by f.epoch desc, f.transaction_id desc, f.position desc limit 1
       ) e`,
    );
    return new Map(rows.map(({ partition, at }) => [partition, parsePosition(at)]));
  }
}

export function feedParameters(cursors: Cursor[], limit: number): unknown[] {
  return [
    cursors.map(({ partition }) => partition),
    cursors.map(({ after }) => after.epoch),
    cursors.map(({ after }) => after.transactionId.toString()),
    cursors.map(({ after }) => after.position),
    limit,
  ];
}
