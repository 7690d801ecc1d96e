import type { ClientBase, Pool } from 'pg';
import type { TableCounts } from '../import-run';
import { tables } from '../schema/schema-1.0';
import type { StagingArea } from '../staging/staging-area';
import { requireLease } from './leased-requests';

/** The progress of a table's extraction. */
export interface TableState {
  name: string;
  /** Number of rows that are staged. */
  read: number;
  /** Key of the last staged row; null when there is none. */
  lastKey: string | null;
  isComplete: boolean;
}

/** Forgets the progress of an import's extraction, which begins anew. */
export async function resetTables(client: ClientBase, requestId: string): Promise<void> {
  await client.query('delete from import.tables where request_id = $1', [requestId]);
  await client.query('insert into import.tables (request_id, name) select $1, unnest($2::text[])', [
    requestId,
    tables.map(({ name }) => name),
  ]);
}

export async function tableStates(client: ClientBase | Pool, requestId: string): Promise<TableState[]> {
  const { rows } = await client.query<TableState>(
    `select name, read::float8 as read, last_key as "lastKey", is_complete as "isComplete"
     from import.tables where request_id = $1`,
    [requestId],
  );
  return rows;
}

/** Whether all staged rows exist: a crash of the database server empties the unlogged tables. */
export async function isIntact(client: ClientBase, staging: StagingArea, states: readonly TableState[]) {
  if (states.length < tables.length) return false;
  for (const { name, read } of states) {
    const table = staging.table(name);
    const { rows } = await client.query<{ there: boolean }>('select to_regclass($1) is not null as there', [
      table,
    ]);
    if (!rows[0].there) return false;
    const counted = await client.query<{ count: number }>(`select count(*)::float8 as count from ${table}`);
    if (counted.rows[0].count !== read) return false;
  }
  return true;
}

/** Stores how many rows the source counts. @param totals number of rows by table */
export async function setTotals(
  pool: Pool,
  requestId: string,
  totals: ReadonlyMap<string, string>,
): Promise<void> {
  await pool.query(
    `update import.tables t set total = n.total from unnest($2::text[], $3::bigint[]) n(name, total)
     where t.request_id = $1 and t.name = n.name`,
    [requestId, [...totals.keys()], [...totals.values()]],
  );
}

/** The tables of which more or fewer rows were read than the source counts. */
export async function miscounted(pool: Pool, requestId: string): Promise<string[]> {
  const { rows } = await pool.query<{ name: string }>(
    'select name from import.tables where request_id = $1 and read <> total order by name',
    [requestId],
  );
  return rows.map(({ name }) => name);
}

/**
 * Stores the progress of an extraction, in the transaction that stages the chunk's rows.
 * @throws LeaseLost
 */
export async function markChunk(
  client: ClientBase,
  { requestId, worker }: { requestId: string; worker: string },
  { name, read, lastKey, isComplete }: TableState,
): Promise<void> {
  await requireLease(client, requestId, worker);
  await client.query(
    `update import.tables set read = $3, last_key = $4, is_complete = $5 where request_id = $1 and name = $2`,
    [requestId, name, read, lastKey, isComplete],
  );
}

/** Stores the counts that the steps after the extraction report. */
export async function writeCounts(
  pool: Pool,
  requestId: string,
  counts: ReadonlyMap<string, Partial<TableCounts>>,
): Promise<void> {
  const rows = [...counts].map(([name, { valid, rejected, loaded }]) => ({ name, valid, rejected, loaded }));
  await pool.query(
    `update import.tables t set valid = coalesce(n.valid, t.valid), rejected = coalesce(n.rejected, t.rejected),
       loaded = coalesce(n.loaded, t.loaded)
     from json_to_recordset($2) n(name text, valid bigint, rejected bigint, loaded bigint)
     where t.request_id = $1 and t.name = n.name`,
    [requestId, JSON.stringify(rows)],
  );
}
