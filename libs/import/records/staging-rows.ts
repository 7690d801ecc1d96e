import type { ClientBase } from 'pg';
import { tables } from '../schema/schema-1.0';
import type { StagingArea } from '../staging/staging-area';
import { takeRows } from '../staging/taken-rows';
import { openCountedBy } from './counted-by';
import type { Row } from './row';

/** Memory for each sort or join of a reader. A million rows go to disk with it, but in few parts. */
const WORK_MEM = '64MB';

/** SQL: the order of rows, by their keys as in the source. */
export const byKey = (alias: string) => `${alias}."ImportId" collate "C"`;

/**
 * Prepares a connection for reading all of a staging area, and analyses its tables, as nothing has done so before.
 * Another turn at the import that prepares a connection ends this one.
 */
export async function prepare(client: ClientBase, staging: StagingArea): Promise<void> {
  await takeRows(client, staging, 'read');
  // By default PostgreSQL plans a cursor for fast first rows rather than for all rows.
  await client.query('set cursor_tuple_fraction = 1');
  await client.query(`set work_mem = '${WORK_MEM}'`);
  for (const { name } of tables) await client.query(`analyze ${staging.table(name)}`);
  await openCountedBy(client, staging);
  await client.query(`analyze ${staging.schema}.counted_by`);
}

/**
 * The rows of a query, page by page. While the caller works on one page, the next is fetched. The connection must not
 * be used otherwise until the last page. Its transaction only reads, so it does not hold back the feed.
 * @param query from code
 * @param signal whose reason is thrown once it is aborted
 */
export async function* pagesOf<Of extends object = Row>(
  client: ClientBase,
  query: string,
  size: number,
  signal: AbortSignal,
  values: unknown[] = [],
): AsyncGenerator<Of[]> {
  signal.throwIfAborted();
  const fetch = () => {
    const page = client.query<Of>(`fetch ${size} from rows`);
    // Whoever awaits the page receives its error. Without a handler, the error of an abandoned page would end the
    // process.
    page.catch(() => undefined);
    return page;
  };
  await client.query('begin read only');
  try {
    await client.query(`declare rows no scroll cursor for ${query}`, values);
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
