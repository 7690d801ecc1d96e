import { Injectable } from '@nestjs/common';
import type { Cursor } from '#event-store/feed';
import { type Position, parsePosition, printPosition } from '#event-store/position';
import { WriteDatabase } from '#platform/database';

/** A step of the publisher's checkpoint of a partition: the topic holds its events up to `to`. */
export interface PublishedMove {
  partition: number;
  from: Position;
  to: Position;
}

/** The publisher's checkpoints, one for each topic and partition. */
@Injectable()
export class Published {
  constructor(private readonly database: WriteDatabase) {}

  /** The checkpoints of the partitions. A partition that was never published is at the start. */
  async positions(topic: string, partitions: number[]): Promise<Cursor[]> {
    await this.database.pool.query(
      `insert into event_store.published (topic, partition) select $1, unnest($2::smallint[]) on conflict do nothing`,
      [topic, partitions],
    );
    const { rows } = await this.database.pool.query<{ partition: number; at: string }>(
      `select partition, epoch || '.' || transaction_id || '.' || position as at
       from event_store.published where topic = $1 and partition = any($2)`,
      [topic, partitions],
    );
    return rows.map(({ partition, at }) => ({ partition, after: parsePosition(at) }));
  }

  /** Moves checkpoints by compare-and-swap. @returns false when one is not at `from`: another process publishes */
  async move(topic: string, moves: readonly PublishedMove[]): Promise<boolean> {
    const { rowCount } = await this.database.pool.query({
      name: 'event_bus.published',
      text: `
        update event_store.published p
        set epoch = split_part(to_at, '.', 1)::int, transaction_id = split_part(to_at, '.', 2)::xid8,
          position = split_part(to_at, '.', 3)::bigint, updated_at = now()
        from unnest($2::smallint[], $3::text[], $4::text[]) m(partition, from_at, to_at)
        where p.topic = $1 and p.partition = m.partition
          and p.epoch || '.' || p.transaction_id || '.' || p.position = m.from_at`,
      values: [
        topic,
        moves.map(({ partition }) => partition),
        moves.map(({ from }) => printPosition(from)),
        moves.map(({ to }) => printPosition(to)),
      ],
    });
    return rowCount === moves.length;
  }

  /** Deletes the checkpoints of partitions, which are then at the start. */
  async forget(topic: string, partitions: number[]): Promise<void> {
    await this.database.pool.query(
      'delete from event_store.published where topic = $1 and partition = any($2)',
      [topic, partitions],
    );
  }
}
