import type { ConnectionPool } from 'mssql';
import { execute } from '../database';
import { streamed } from './driver';

/** The number of rows of {@link bigTable}. */
export const bigCount = 3_000;
export const selectAllBig =
  'select [ImportId] as [ImportId], [Text] as [Text] from [etl].[Big] order by [ImportId] collate Latin1_General_BIN2';
export const countBig = 'select count_big(*) as [rows] from [etl].[Big]';

/** Creates a table `Big` that is larger than all buffers on the way together. Each text has 8,000 characters. */
export async function createBigTable(database: string): Promise<void> {
  await execute(database, 'create schema etl; create table etl."Big" ("ImportId" varchar(20), "Text" text)');
  await execute(
    database,
    `insert into etl."Big" select lpad(i::text, 8, '0'), repeat('0123456789', 800) from generate_series(1, $1) i`,
    [bigCount],
  );
}

/** The number of rows that can be read, and the error that ends them. */
export async function readBig(
  pool: ConnectionPool,
): Promise<{ rows: number; error?: { code: string; number?: number } }> {
  let rows = 0;
  try {
    await streamed(pool, selectAllBig).run(() => rows++);
    return { rows };
  } catch (error) {
    const { code, number } = error as { code: string; number?: number | string };
    return { rows, error: typeof number === 'number' ? { code, number } : { code } };
  }
}
