import { BulkAppender } from '#event-store/append/append-bulk';
import { at } from '#event-store/load';
import { AppendSignal } from '#event-store/signal';
import { SystemClock } from '#kernel/clock';
import { WorkItem } from '#practice/work-items/work-item';
import { contextFor, openStore } from '../../support/store';
import type { Week } from './work-item-lives';

const CALLERS = 200;

/**
 * Writes weeks of work items into a tenant's store: new items in bulk, their later events by ordinary appends, so that
 * the events of an item are as far apart in the feed as in a real firm.
 */
export async function loadWorkItems(url: string, alias: string, weeks: Iterable<Week>): Promise<void> {
  const opened = openStore(url, [WorkItem]);
  const signal = new AppendSignal(opened.writes);
  const bulk = new BulkAppender(opened.writes, opened.codec, opened.keys, signal, new SystemClock());
  try {
    const { rows } = await opened.writes.pool.query(
      'select id, alias, partition, stream_id as "streamId" from platform.tenants where alias = $1',
      [alias],
    );
    const context = contextFor(rows[0]);
    for (const { created, waves } of weeks) {
      const streams = created.map(({ id, event }) => ({ definition: WorkItem, id, events: [event] }));
      await bulk.append(context, streams, 'import');
      for (const wave of waves) {
        const steps = wave.values();
        const caller = async () => {
          // All callers share one iterator.
          for (const { id, event } of steps) {
            await opened.store.execute(context, async (work) => {
              const { item } = await work.load({ item: at(WorkItem, id) });
              return work.change(WorkItem, item!, [event]);
            });
          }
        };
        await Promise.all(Array.from({ length: CALLERS }, caller));
      }
    }
  } finally {
    signal.onApplicationShutdown();
    await opened.close();
  }
}
