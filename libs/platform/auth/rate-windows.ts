import type { Pool } from 'pg';

export interface Take {
  tenantId: number;
  integrationId: string;
  /** Start of the window, in milliseconds of the epoch. */
  start: number;
  /** Requests to count. */
  amount: number;
}

const TIMEOUT_MS = 1_000;

/**
 * Adds to the counters that all processes share (`platform.rate_windows`), in one statement. Every process updates rows
 * in the same order, so that they never deadlock.
 * @returns each counter after the addition, in the order of `takes`
 * @throws when the database fails or does not answer within a second; the additions may still have been made
 */
export async function countRequests(pool: Pool, takes: readonly Take[]): Promise<number[]> {
  const { rows } = await within(
    TIMEOUT_MS,
    pool.query<{ ordinal: string; used: string }>({
      name: 'count-requests',
      text: `with takes as (
               select * from unnest($1::int[], $2::uuid[], $3::timestamptz[], $4::bigint[])
                 with ordinality as t (tenant_id, integration_id, window_start, amount, ordinal)
             ), counted as (
               insert into platform.rate_windows as w (tenant_id, integration_id, window_start, used)
               select tenant_id, integration_id, window_start, amount from takes order by 1, 2, 3
               on conflict (tenant_id, integration_id, window_start) do update set used = w.used + excluded.used
               returning *
             )
             select ordinal, used from takes join counted using (tenant_id, integration_id, window_start)`,
      values: [
        takes.map((take) => take.tenantId),
        takes.map((take) => take.integrationId),
        takes.map((take) => new Date(take.start)),
        takes.map((take) => take.amount),
      ],
    }),
  );
  const used = new Map(rows.map((row) => [Number(row.ordinal), Number(row.used)]));
  return takes.map((_, index) => used.get(index + 1)!);
}

/**
 * Limits the wait for an answer. The pool's own limits allow for slow statements: that is too long for a request that
 * only has to be counted.
 */
function within<T>(milliseconds: number, work: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`no answer in ${milliseconds} ms`)), milliseconds);
  });
  return Promise.race([work, late]).finally(() => clearTimeout(timer));
}
