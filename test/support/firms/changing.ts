import type { ClientBase } from 'pg';
import type { Random } from '#practice/demo/random';
import { sourceTable } from './firm-tables';

/** A row that was changed. */
export interface Change {
  readonly table: string;
  readonly importId: string;
  readonly columns: readonly string[];
}

export interface Changing {
  readonly client: ClientBase;
  readonly seed: number;
  readonly random: Random;
}

/** Random rows of a query, each with its `id`. The same seed gives the same rows. */
export async function candidates<Row extends { id: string }>(
  { client, seed }: Changing,
  sql: string,
  count: number,
): Promise<Row[]> {
  const { rows } = await client.query<Row>(
    `select * from (${sql}) c order by md5(c.id || $1), c.id collate "C" limit $2`,
    [` ${seed}`, count],
  );
  return rows;
}

export async function set(
  { client }: Changing,
  table: string,
  importId: string,
  values: Readonly<Record<string, unknown>>,
): Promise<Change> {
  const columns = Object.keys(values);
  const assigned = columns.map((name, index) => `"${name}" = $${index + 2}`);
  await client.query(`update ${sourceTable(table)} set ${assigned.join(', ')} where "ImportId" = $1`, [
    importId,
    ...Object.values(values),
  ]);
  return { table, importId, columns };
}

/** Sets columns of each row, to values that depend on the row's present ones. */
export async function setEach<Row extends { id: string }>(
  changing: Changing,
  table: string,
  rows: readonly Row[],
  values: (row: Row, index: number) => Readonly<Record<string, unknown>>,
): Promise<Change[]> {
  const changes: Change[] = [];
  for (const [index, row] of rows.entries())
    changes.push(await set(changing, table, row.id, values(row, index)));
  return changes;
}
