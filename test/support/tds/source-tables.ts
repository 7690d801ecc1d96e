import { escapeIdentifier } from 'pg';
import { tables } from '#import/schema/schema-1.0';
import { sqlTypeOf } from '#import/schema/t-sql';
import type { Column } from '#import/schema/table';
import { execute } from '../database';

/** Creates the declared tables, empty, in the schema `etl` of a PostgreSQL database. */
export async function createSourceTables(database: string): Promise<void> {
  const statements = tables.map(({ name, columns }) => {
    const list = columns.map((column) => `${escapeIdentifier(column.name)} ${postgresType(column)}`);
    return `create table etl.${escapeIdentifier(name)} (${list.join(', ')})`;
  });
  await execute(database, ['create schema etl', ...statements].join(';\n'));
}

function postgresType(column: Column): string {
  const type = sqlTypeOf(column);
  if (type.startsWith('n')) return 'text';
  if (type === 'bit') return 'boolean';
  return type.replace('decimal', 'numeric').replace(/^datetime2.*/, 'timestamp');
}
