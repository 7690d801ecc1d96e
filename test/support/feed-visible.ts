import type { Pool } from 'pg';
import { waitFor } from './wait-for';

/** Waits until the feed delivers all events of a store: open transactions of other databases hold it back, too. */
export async function feedVisible(store: Pick<Pool, 'query'>): Promise<void> {
  const held =
    'select from event_store.events where transaction_id >= pg_snapshot_xmin(pg_current_snapshot())';
  await waitFor(async () => (await store.query(held)).rowCount === 0, {
    description: 'the feed to deliver all events',
  });
}
