import type { ClientBase } from 'pg';

/** Makes a table of what is worked out, anew; of the session's schema, in which the rows of the import lie. */
export async function makeTable(session: ClientBase, name: string, query: string): Promise<void> {
  await session.query(`drop table if exists ${name} cascade`);
  await session.query(`create unlogged table ${name} as ${query}`);
  await session.query(`analyze ${name}`);
}

export async function makeView(session: ClientBase, name: string, query: string): Promise<void> {
  await session.query(`create or replace view ${name} as ${query}`);
}

/** An empty one that is filled with values of the program. */
export async function makeEmptyTable(session: ClientBase, name: string, columns: string): Promise<void> {
  await session.query(`drop table if exists ${name} cascade`);
  await session.query(`create unlogged table ${name} (${columns})`);
}
