import { SCHEMA_VERSION, SOURCE_SCHEMA, tables } from './schema-1.0';
import type { Column, Table } from './table';

/** The SQL Server type of a column in the customer's database. */
export function sqlTypeOf({ type, length }: Column): string {
  switch (type) {
    case 'key':
    case 'reference':
    case 'text':
    case 'choice':
      return `nvarchar(${length})`;
    case 'currency':
      return 'nchar(3)';
    case 'money':
    case 'quantity':
      return 'decimal(19,4)';
    case 'rate':
      return 'decimal(19,10)';
    case 'percent':
      return 'decimal(9,4)';
    case 'ticks':
      return 'bigint';
    case 'integer':
      return 'int';
    case 'boolean':
      return 'bit';
    case 'date':
      return 'date';
    case 'instant':
      return 'datetime2(7)';
  }
}

/** The T-SQL script that creates the tables in the customer's database, for SQL Server 2016 and later. */
export function schemaScript(): string {
  return [
    `-- Tables of a bulk import, schema version ${SCHEMA_VERSION}. docs/import says what each column means.`,
    '-- No foreign keys: rows may arrive in any order, and the import reports what refers to nothing.',
    `IF SCHEMA_ID(N'${SOURCE_SCHEMA}') IS NULL EXEC(N'CREATE SCHEMA [${SOURCE_SCHEMA}]');`,
    'GO',
    ...tables.map(createTable),
    '',
  ].join('\n');
}

function createTable({ name, columns }: Table): string {
  const lines = columns.map((column) => {
    const collation = column.type === 'key' ? ' COLLATE Latin1_General_BIN2' : '';
    return `  [${column.name}] ${sqlTypeOf(column)}${collation} ${column.isRequired ? 'NOT NULL' : 'NULL'},`;
  });
  const key = `  CONSTRAINT [PK_${name}] PRIMARY KEY ([ImportId])`;
  return [`CREATE TABLE [${SOURCE_SCHEMA}].[${name}] (`, ...lines, key, ');', 'GO'].join('\n');
}
