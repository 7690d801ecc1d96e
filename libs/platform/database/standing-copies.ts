import type { Pool } from 'pg';

/** So long a COPY may wait for more rows: ours have theirs at hand. */
const STANDING_MS = 60_000;

/**
 * Ends sessions of processes that are frozen amid rows that they copy, which hold back the feed, and locks that others
 * wait for. No limit of PostgreSQL's ends a COPY that waits for its client.
 * @returns how many sessions were ended
 */
export async function endStandingCopies(pool: Pool, standingMs = STANDING_MS): Promise<number> {
  const { rows } = await pool.query<{ ended: number }>(
    `select count(pg_terminate_backend(pid))::int as ended from pg_stat_activity
     where datname = current_database() and usename = current_user
       and state = 'active' and wait_event = 'ClientRead' and query like 'copy %'
       and query_start < now() - $1 * interval '1 ms'`,
    [standingMs],
  );
  return rows[0].ended;
}
