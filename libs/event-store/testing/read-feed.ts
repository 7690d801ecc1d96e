import type { RecordedEvent } from '#event-store/events';
import type { Feed } from '#event-store/feed';
import { comparePositions, type Position, parsePosition, START } from '#event-store/position';
import type { TestStore } from '../../../test/support/store';
import { waitFor } from '../../../test/support/wait-for';

/**
 * Reads the events of a partition from the first to the given position. Waits for them, because any open transaction of
 * the server holds the feed back.
 */
export async function readFeed(feed: Feed, partition: number, upTo: Position): Promise<RecordedEvent[]> {
  const events: RecordedEvent[] = [];
  let after = START;
  while (comparePositions(after, upTo) < 0) {
    let batch: RecordedEvent[] = [];
    await waitFor(async () => (batch = (await feed.page([{ partition, after }], 1000)).events).length > 0, {
      description: 'the feed to come to the position',
    });
    events.push(...batch);
    after = batch.at(-1)!.at;
  }
  return events;
}

/** The position of each partition's last event, whether or not the feed delivers that event yet. */
export async function endsOf({ writes }: Pick<TestStore, 'writes'>): Promise<Map<number, Position>> {
  const { rows } = await writes.pool.query<{ partition: number; at: string }>(
    `select distinct on (partition) partition, epoch || '.' || transaction_id || '.' || position as at
     from event_store.events order by partition, epoch desc, transaction_id desc, position desc`,
  );
  return new Map(rows.map(({ partition, at }) => [partition, parsePosition(at)]));
}
