import type { ClientBase } from 'pg';
import type { StagingArea } from '../staging/staging-area';

/**
 * By what work, invoices and billed costs are counted for which others may say otherwise since their import, beside the
 * rows in the staging area: those that were imported before by the minutes of a unit and the tax code that they had then,
 * so that an equal row stays equal; others, whose matter or its client was changed, by those that the matter has now.
 * Mostly few rows, and logged: what is loaded and promoted after a crash is counted by them too.
 */
export async function openCountedBy(
  client: ClientBase,
  { schema }: Pick<StagingArea, 'schema'>,
): Promise<void> {
  await client.query(
    `create table if not exists ${schema}.counted_by (
       table_name text, import_id text, minutes_per_unit text, tax_code text, primary key (table_name, import_id))`,
  );
}

/** SQL: rows of a table with one of its columns beside them, null of most. */
export function withCountedBy(
  { schema }: StagingArea,
  table: string,
  rows: string,
  column: 'minutes_per_unit' | 'tax_code',
  as: string,
): string {
  return `(select t.*, n.${column} as "${as}" from ${rows} t
    left join ${schema}.counted_by n on n.table_name = '${table}' and n.import_id = t."ImportId")`;
}
