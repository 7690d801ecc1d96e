import type { ClientBase } from 'pg';
import { SOURCE_SCHEMA, tables } from '../schema/schema-1.0';
import type { Column } from '../schema/table';
import type { StagingArea } from '../staging/staging-area';

/** Fills the staging area from the schema `etl` of the same database, as the extraction would. */
export async function stageSource(client: ClientBase, staging: StagingArea): Promise<void> {
  await staging.create(client);
  for (const table of tables) {
    const columns = table.columns.map(({ name }) => `"${name}"`).join(', ');
    const values = table.columns.map(asExtracted).join(', ');
    await client.query(
      `insert into ${staging.table(table.name)} (${columns}) select ${values} from ${SOURCE_SCHEMA}."${table.name}"`,
    );
  }
}

/** Stages a row of a table. Columns that are not given, and empty texts, are null. */
export async function stageRow(
  client: ClientBase,
  staging: StagingArea,
  table: string,
  row: Record<string, string>,
): Promise<void> {
  const columns = Object.keys(row).map((name) => `"${name}"`);
  const values = Object.keys(row).map((_, index) => `$${index + 1}`);
  await client.query(
    `insert into ${staging.table(table)} (${columns.join(', ')}) values (${values.join(', ')})`,
    Object.values(row).map((value) => value || null),
  );
}

function asExtracted({ name, type }: Column): string {
  if (type === 'boolean') return `case "${name}" when true then '1' when false then '0' end`;
  if (type === 'instant') return `to_char("${name}", 'YYYY-MM-DD"T"HH24:MI:SS.US') || '0'`;
  return `nullif("${name}"::text, '')`;
}
