import type { ClientBase } from 'pg';
import { tables } from '../schema/schema-1.0';
import type { Table } from '../schema/table';
import type { StagingArea } from '../staging/staging-area';
import { takeRows } from '../staging/taken-rows';
import { openCountedBy } from './counted-by';
import type { Row } from './row';

/** Memory for a reader's sorts and joins: those of a million rows are written to disk, but in few parts. */
const WORK_MEM = '64MB';

export function tableOf(name: string): Table {
  const table = tables.find((one) => one.name === name);
  if (!table) throw new Error(`There is no table ${name}`);
  return table;
}

/** SQL: the rows of a table, with empty texts as null. */
export function rowsOf(staging: StagingArea, name: string): string {
  const table = tableOf(name);
  const columns = table.columns.map((column) => `nullif("${column.name}", '') as "${column.name}"`);
  return `(select ${columns.join(', ')} from ${staging.table(table)})`;
}

/** SQL: the sort order of rows, which is the source's. */
export const byKey = (alias: string) => `${alias}."ImportId" collate "C"`;

/**
 * Prepares a connection for reading all rows of a staging area, and takes statistics of its tables. Another turn at the import
 * that prepares a connection ends this one.
 */
export async function prepare(client: ClientBase, staging: StagingArea): Promise<void> {
  await takeRows(client, staging, 'read');
  // Otherwise PostgreSQL optimises cursors for fetching the first rows quickly.
  await client.query('set cursor_tuple_fraction = 1');
  await client.query(`set work_mem = '${WORK_MEM}'`);
  for (const table of tables) await client.query(`analyze ${staging.table(table)}`);
  await openCountedBy(client, staging);
  await client.query(`analyze ${staging.schema}.counted_by`);
}

/**
 * The rows of a query, page by page; the next page is fetched while one is processed. The connection is in use until the last
 * page. It does not hold the feed back, since its transaction only reads.
 * @param query SQL from code, without values of rows
 * @param signal once it is aborted, its reason is thrown
 */
export async function* pagesOf(
  client: ClientBase,
  query: string,
  size: number,
  signal: AbortSignal,
): AsyncGenerator<Row[]> {
  signal.throwIfAborted();
  const fetch = () => {
    const page = client.query<Row>(`fetch ${size} from rows`);
    // The consumer receives an error when it awaits the page. It may never do so: the error must not be unhandled then.
    page.catch(() => undefined);
    return page;
  };
  await client.query('begin read only');
  try {
    await client.query(`declare rows no scroll cursor for ${query}`);
    for (let page = fetch(); ; ) {
      const { rows } = await page;
      signal.throwIfAborted();
      if (rows.length === 0) return;
      page = fetch();
      yield rows;
    }
  } finally {
    await client.query('rollback').catch(() => undefined);
  }
}
