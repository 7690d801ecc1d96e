import type { Pool } from 'pg';
import { waitFor } from './wait-for';

/**
 * Waits until a session with a transaction id, behind which every reader of the feed waits, has waited for tables
 * twice. It gives up its first wait when others use the tables, and tries again.
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
