import type { SourceConnection } from '../connection/source-connection';
import { SourceFailure } from '../connection/source-failure';
import { SCHEMA_VERSION, SOURCE_SCHEMA, tables } from '../schema/schema-1.0';
import { sqlTypeOf } from '../schema/t-sql';
import type { Column, ColumnType, Table } from '../schema/table';
import { columnsStatement, versionStatement } from './statements';

export interface SourceColumn extends Column {
  /** The type pads texts with blanks (char, nchar), which are no part of the value. */
  readonly isPadded: boolean;
}

/** A table, with those of its columns that exist in the source. */
export interface SourceTable {
  table: Table;
  columns: readonly SourceColumn[];
}

const MOST_NAMED = 20;
const COLUMNS = ['the column', 'the columns'] as const;
const padded = ['nchar', 'char'];
const text = ['nvarchar', 'varchar', ...padded];
const whole = ['bigint', 'int', 'smallint', 'tinyint'];
const decimal = ['decimal', 'numeric', ...whole];
const instant = ['datetime2', 'datetime', 'smalldatetime', 'date'];

/** By column type: the SQL Server types that can be read without losing digits. */
const taken: Record<ColumnType, readonly string[]> = {
  key: text,
  reference: text,
  text,
  choice: text,
  currency: text,
  money: decimal,
  rate: decimal,
  quantity: decimal,
  percent: decimal,
  ticks: whole,
  integer: whole,
  boolean: ['bit'],
  date: instant,
  instant,
};

/**
 * Compares the source's tables with the declared ones.
 * @throws SourceFailure `table_missing`, `column_missing`, `column_type`; the message names every fault
 */
export async function checkSchema(source: SourceConnection): Promise<SourceTable[]> {
  const rows = await source.query(columnsStatement, { schema: SOURCE_SCHEMA });
  const types = new Map(rows.map(({ table, column, type }) => [key(`${table}.${column}`), String(type)]));
  const present = new Set(rows.map(({ table }) => key(String(table))));

  const missing = tables.filter(({ name }) => !present.has(key(name))).map(({ name }) => named(name));
  const columns = tables
    .filter(({ name }) => present.has(key(name)))
    .flatMap((table) =>
      table.columns.map((column) => ({
        path: `${named(table.name)}.${column.name}`,
        column,
        type: types.get(key(`${table.name}.${column.name}`)),
      })),
    );
  const absent = columns.filter(({ type, column }) => type === undefined && !column.mayLack);
  const wrong = columns.filter(
    ({ type, column }) => type !== undefined && !taken[column.type].includes(type),
  );
  requireNone([
    {
      code: 'table_missing',
      names: missing,
      tell: (names) =>
        `Missing in the database, or not visible to the user: ${listed(names, 'the table', 'the tables')}. Grant the user SELECT on the schema ${SOURCE_SCHEMA}, or create the tables with the script of version ${SCHEMA_VERSION}.`,
    },
    {
      code: 'column_missing',
      names: absent.map(({ path }) => path),
      tell: (names) =>
        `Missing in the database: ${listed(names, ...COLUMNS)}. Add what the script of version ${SCHEMA_VERSION} has.`,
    },
    {
      code: 'column_type',
      names: wrong.map(({ path, column }) => `${path} (${sqlTypeOf(column)})`),
      tell: (names) =>
        `Not of the type that is given in brackets: ${listed(names, ...COLUMNS)}. Change the type.`,
    },
  ]);
  return tables.map((table) => ({
    table,
    columns: table.columns.flatMap((column) => {
      const type = types.get(key(`${table.name}.${column.name}`));
      return type === undefined ? [] : [{ ...column, isPadded: padded.includes(type) }];
    }),
  }));
}

interface Fault {
  code: string;
  names: string[];
  tell(names: string[]): string;
}

/** @throws SourceFailure when there are faults: with the code of the first, and a message that names all */
function requireNone(faults: readonly Fault[]): void {
  const found = faults.filter(({ names }) => names.length > 0);
  if (found.length === 0) return;
  throw new SourceFailure(found[0].code, found.map(({ names, tell }) => tell(names)).join(' '));
}

/**
 * The schema version that the source's Info states; null when it states none or several, which the validation reports.
 * @throws SourceFailure `schema_version`
 */
export async function checkVersion(source: SourceConnection): Promise<string | null> {
  const rows = await source.query(versionStatement);
  const [{ SchemaVersion = null } = {}] = rows.length === 1 ? rows : [];
  const version = typeof SchemaVersion === 'string' ? SchemaVersion.trimEnd() : '';
  if (version !== '' && version !== SCHEMA_VERSION)
    throw new SourceFailure(
      'schema_version',
      `Info.SchemaVersion is not ${SCHEMA_VERSION}, the version that this service reads. Use the tables of that version.`,
    );
  return version === SCHEMA_VERSION ? version : null;
}

/** Names are compared without regard to case, as in most SQL Server databases. */
function key(name: string): string {
  return name.toLowerCase();
}

export function named(table: string): string {
  return `${SOURCE_SCHEMA}.${table}`;
}

export function listed(names: string[], one: string, several: string): string {
  const more = names.length > MOST_NAMED ? ` and ${names.length - MOST_NAMED} more` : '';
  return `${names.length === 1 ? one : several} ${names.slice(0, MOST_NAMED).join(', ')}${more}`;
}
