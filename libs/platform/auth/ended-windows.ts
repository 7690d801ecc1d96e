import type { Pool } from 'pg';

/** Deletes counts of requests and of failed requests for tokens whose windows have ended. */
export async function deleteEndedWindows(pool: Pool): Promise<void> {
  await pool.query(
    `delete from platform.rate_windows w using platform.grants g
     where g.tenant_id = w.tenant_id and g.integration_id = w.integration_id
       and w.window_start < now() - g.period_seconds * interval '1 second'`,
  );
  await pool.query("delete from platform.token_failures where window_start < now() - interval '10 minutes'");
}
