import type { RecordedEvent } from '#event-store/events';
import { allProjections } from '#practice/testing/projected-firms';
import type { TestStore } from '../../../test/support/store';

/**
 * Writes the read models in batches, as a projector does while the events happen: first the first event of all records,
 * then the next event of each, so that most changes update rows of an earlier batch.
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
