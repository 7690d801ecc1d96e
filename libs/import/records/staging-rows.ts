import type { ClientBase } from 'pg';
import { tables } from '../schema/schema-1.0';
import type { Table } from '../schema/table';
import type { StagingArea } from '../staging/staging-area';
import { takeRows } from '../staging/taken-rows';
import { openCountedBy } from './counted-by';
import type { Row } from './row';

/** Of the sorts and joins of one reader: a million rows go to disk, but in few parts. */
const WORK_MEM = '64MB';

export function tableOf(name: string): Table {
  const table = tables.find((one) => one.name === name);
  if (!table) throw new Error(`There is no table ${name}`);
  return table;
}

/** SQL for the rows of a table as they are meant: an empty text is null. */
export function rowsOf(staging: StagingArea, name: string): string {
  const table = tableOf(name);
  const columns = table.columns.map((column) => `nullif("${column.name}", '') as "${column.name}"`);
  return `(select ${columns.join(', ')} from ${staging.table(table)})`;
}

/** How rows are sorted: as their source sorts them. */
export const byKey = (alias: string) => `${alias}."ImportId" collate "C"`;

/**
 * Prepares a connection for reading all of a staging area; nothing has counted its rows before. It ends when another turn
 * at the import prepares one.
 */
export async function prepare(client: ClientBase, staging: StagingArea): Promise<void> {
  await takeRows(client, staging, 'read');
  // Without it PostgreSQL takes the first of a cursor's rows to matter more than the last.
  await client.query('set cursor_tuple_fraction = 1');
  await client.query(`set work_mem = '${WORK_MEM}'`);
  for (const table of tables) await client.query(`analyze ${staging.table(table)}`);
  await openCountedBy(client, staging);
  await client.query(`analyze ${staging.schema}.counted_by`);
}

/**
 * The rows of a query, a page at a time; while one page is worked on the next is fetched. The connection is its own
 * until the last, and holds back no feed: the transaction only reads.
 * @param query from code
 * @param signal whose reason is thrown once it is aborted
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
    // Whoever waits for it hears of it; nobody may be waiting any more.
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
