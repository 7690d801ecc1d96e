import type { ClientBase } from 'pg';
import { SOURCE_SCHEMA, tables } from '#import/schema/schema-1.0';
import type { Column, Table } from '#import/schema/table';

/** The quoted name of a source table. */
export const sourceTable = (name: string): string => `${SOURCE_SCHEMA}."${name}"`;

/** Creates empty tables in their own schema, without constraints, because faults are planted in copies of a firm. */
export async function createSourceTables(client: ClientBase): Promise<void> {
  await client.query(`create schema ${SOURCE_SCHEMA}`);
  for (const { name, columns } of tables) {
    const typed = columns.map((column) => `"${column.name}" ${typeOf(column)}`);
    await client.query(`create table ${sourceTable(name)} (${typed.join(', ')})`);
  }
}

/** Creates indexes for reading in key order. Called when the rows exist. */
export async function indexSourceTables(client: ClientBase): Promise<void> {
  for (const { name } of tables) {
    await client.query(`create index on ${sourceTable(name)} ("ImportId" collate "C")`);
    await client.query(`analyze ${sourceTable(name)}`);
  }
}

export function tableNamed(name: string): Table {
  const found = tables.find((table) => table.name === name);
  if (!found) throw new Error(`There is no table ${name}`);
  return found;
}

/** The PostgreSQL type of a declared column. */
function typeOf({ type }: Column): string {
  switch (type) {
    case 'key':
    case 'reference':
    case 'text':
    case 'choice':
    case 'currency':
      return 'text';
    case 'money':
    case 'quantity':
      return 'numeric(19,4)';
    case 'rate':
      return 'numeric(19,10)';
    case 'percent':
      return 'numeric(9,4)';
    case 'ticks':
      return 'bigint';
    case 'integer':
      return 'int';
    case 'boolean':
      return 'boolean';
    case 'date':
      return 'date';
    case 'instant':
      return 'timestamp';
  }
}
