import type { ClientBase } from 'pg';
import { alone } from '#platform/database/alone';
import type { StagingArea } from '../staging/staging-area';

/**
 * By what work, invoices and costs are counted for which others may say otherwise since their import, beside the rows in
 * the staging area. Those that were imported before by what they had then, so that an equal row stays equal: the minutes
 * of a unit, the tax code, what they were called (an empty text: nothing), whether an invoice's lines named codes other
 * than that of lines that name none. Others, whose matter or its client was changed, by what the matter has now.
 * Logged: what is loaded and promoted after a crash is counted by them too.
 */
export async function openCountedBy(
  client: ClientBase,
  { schema }: Pick<StagingArea, 'schema'>,
): Promise<void> {
  await client.query(
    `create table if not exists ${schema}.counted_by (
       table_name text, import_id text, minutes_per_unit text, tax_code text, called text, names_codes boolean,
       primary key (table_name, import_id))`,
  );
  // Of rows that were staged before there were these. Looked at first: what adds none waits for a dump all the same.
  const { rowCount } = await client.query(
    `select from pg_attribute where attrelid = $1::regclass and attname in ('called', 'names_codes')`,
    [`${schema}.counted_by`],
  );
  if (rowCount === 2) return;
  await alone(
    client,
    `alter table ${schema}.counted_by add column if not exists called text, add column if not exists names_codes boolean`,
  );
}

type Column = 'minutes_per_unit' | 'tax_code' | 'called' | 'names_codes';

/** SQL: rows of a table with some of its columns beside them, by the names that they have there; null of most. */
export function withCountedBy(
  { schema }: StagingArea,
  table: string,
  rows: string,
  columns: Readonly<Partial<Record<Column, string>>>,
): string {
  const own = Object.entries(columns).map(([column, as]) => `n.${column}::text as "${as}"`);
  return `(select t.*, ${own.join(', ')} from ${rows} t
    left join ${schema}.counted_by n on n.table_name = '${table}' and n.import_id = t."ImportId")`;
}
