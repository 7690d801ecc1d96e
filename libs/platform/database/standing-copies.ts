import type { Pool } from 'pg';

/** How long a COPY may wait for more rows. This service's own copies have their rows at hand. */
const STANDING_MS = 60_000;

/**
 * Ends sessions of processes that are frozen in the middle of a COPY: they hold back the feed, and locks that others
 * wait for. PostgreSQL has no time limit for a COPY that waits for its client.
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
