import type { ClientBase } from 'pg';
import { alone } from '#platform/database/alone';
import { ONCE } from '../staging/staging-area';

/**
 * So many pages of a table are worked on in one transaction: some hundred thousand rows. From its first write on a
 * transaction holds back what everybody else reads of the feed. Rows are therefore sorted before the first is written: to
 * sort, everything they are made of must have been read, and that may be the whole of another table for each part.
 */
const PAGES = 2_000;

/**
 * Makes a table of a query's rows, in place of the one that is there, beside the rows of the import. For a query that
 * groups or has few rows: nobody is held back until the first row comes.
 * @param indexed the column by which it is looked up
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
 * The same of a query that makes of each row of another table one by itself, some pages of that one at a time.
 * @param from the other table
 * @param query for rows of it, which it is given as SQL that can stand behind `from`
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

export async function makeView(session: ClientBase, name: string, query: string): Promise<void> {
  await session.query(`create or replace view ${name} as ${query}`);
}

/** An empty one that is filled with values of the program. */
export async function makeEmptyTable(session: ClientBase, name: string, columns: string): Promise<void> {
  await alone(session, `drop table if exists ${name} cascade`);
  await session.query(`create unlogged table ${name} (${columns}) ${ONCE}`);
}
