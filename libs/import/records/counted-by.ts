import type { ClientBase } from 'pg';
import { alone } from '#platform/database/alone';
import type { StagingArea } from '../staging/staging-area';

/**
 * Creates `counted_by` in the staging area. It holds the values by which work, invoices and costs are counted where the
 * records that supply these values may have changed since the import.
 * - For rows of earlier imports, the values of that time, so that an equal row stays equal: the minutes of a unit, the
 *   tax code, the name (an empty text: no name), and whether an invoice's lines named codes other than its default.
 * - For other rows on an edited matter or client, the matter's current values.
 *
 * The table is logged, because a load or promotion after a crash needs it, too.
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
  // Tables of an earlier release lack these columns. `alter table` would wait for a running dump even when it adds
  // nothing, so the columns are looked up first.
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

/** SQL: a table's rows with columns of `counted_by` under the given names; null for rows that have no entry. */
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
