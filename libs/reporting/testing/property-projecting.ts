import type { RecordedEvent } from '#event-store/events';
import { allProjections } from '#practice/testing/projected-firms';
import type { TestStore } from '../../../test/support/store';

/**
 * Writes the read models a batch at a time, as a projector does that lives through it: first what all records began
 * with, then what happened to each of them next, so that most changes meet rows that an earlier batch has written.
 */
export async function projectInBatches(
  store: TestStore,
  events: readonly RecordedEvent[],
  size: number,
): Promise<void> {
  const lived = [...events].sort((one, other) => one.version - other.version);
  const client = await store.reads.pool.connect();
  try {
    for (let from = 0; from < lived.length; from += size) {
      const batch = lived.slice(from, from + size);
      for (const projection of allProjections) {
        const relevant = batch.filter(({ event }) => projection.eventTypes.has(event.type));
        if (relevant.length === 0) continue;
        await client.query('begin');
        await projection.apply(client, 1, relevant);
        await client.query('commit');
      }
    }
  } finally {
    client.release();
  }
}
