import type { Pool } from 'pg';
import { waitFor } from './wait-for';

/**
 * Until somebody who has a transaction id, so that every reader of the feed waits behind him, has waited for tables twice:
 * he gives it up while others look at them, and tries again.
 */
export async function waitedBriefly(database: Pick<Pool, 'query'>): Promise<void> {
  const begun = new Set<string>();
  const again = async () => {
    const { rows } = await database.query<{ since: string }>(
      `select pid || ' ' || query_start as since from pg_stat_activity
       where datname = current_database() and backend_xid is not null and wait_event_type = 'Lock'
         and wait_event = 'relation'`,
    );
    for (const { since } of rows) begun.add(since);
    return begun.size > 1;
  };
  await waitFor(again, { description: 'a second wait for tables' });
}
