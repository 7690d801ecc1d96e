import type { ClientBase } from 'pg';
import { alone } from '#platform/database/alone';
import { ONCE } from '../staging/staging-area';

/**
 * The number of a table's pages that one transaction processes: some hundred thousand rows. From its first write on, a
 * transaction holds back every reader of the feed. Rows are therefore sorted before the first is written: the sort
 * makes PostgreSQL read all its input first, which for each part may include the whole of another table.
 */
const PAGES = 2_000;

/**
 * Makes a table in the staging area from a query's rows, in place of an existing one. For queries that group or have
 * few rows: they hold the feed back only from the first row on.
 * @param indexed the column by which the table is looked up
 */
export async function makeTable(
  session: ClientBase,
  name: string,
  query: string,
  indexed?: string,
): Promise<void> {
  await begin(session, name, query, indexed);
  await session.query(`insert into ${name} ${query}`);
  await session.query(`analyze ${name}`);
}

/**
 * Like makeTable, for a query that makes each of its rows from one row of another table. Processes that table by pages.
 * @param from the other table
 * @param query makes the query for some rows of it, which are given as SQL that can follow `from`
 */
export async function makeTableOf(
  session: ClientBase,
  name: string,
  from: string,
  query: (rows: string) => string,
  indexed: string,
): Promise<void> {
  await begin(session, name, query(from), indexed);
  const { rows } = await session.query<{ pages: number }>(
    `select (pg_relation_size($1) / current_setting('block_size')::int)::int as pages`,
    [from],
  );
  for (let page = 0; page < rows[0].pages; page += PAGES) {
    const some = `(select * from ${from} where ctid >= '(${page},0)' and ctid < '(${page + PAGES},0)')`;
    await session.query(`insert into ${name} select * from (${query(some)}) part order by ${indexed}`);
  }
  await session.query(`analyze ${name}`);
}

async function begin(session: ClientBase, name: string, query: string, indexed?: string): Promise<void> {
  await alone(session, `drop table if exists ${name} cascade`);
  await session.query(`create unlogged table ${name} ${ONCE} as ${query} with no data`);
  if (indexed) await session.query(`create index on ${name} (${indexed})`);
}

/** Makes an empty table, which the program fills with values. */
export async function makeEmptyTable(session: ClientBase, name: string, columns: string): Promise<void> {
  await alone(session, `drop table if exists ${name} cascade`);
  await session.query(`create unlogged table ${name} (${columns}) ${ONCE}`);
}
