import { escapeIdentifier } from 'pg';
import { SqlError } from './faults';
import type { Select } from './select';
import type { SourceColumn } from './source-columns';
import type { ResultColumn } from './tokens';

/** The question to PostgreSQL, and the form of its result. */
export interface Plan {
  readonly columns: readonly ResultColumn[];
  /** A query, in which `current_setting('tds.value')` is the value. */
  readonly sql: string;
  readonly value?: string;
}

/**
 * @param source columns of the tables, without those that faults remove
 * @throws {SqlError} 207 and 208 for what does not exist
 */
export function planOf(select: Exclude<Select, { kind: 'setting' }>, source: readonly SourceColumn[]): Plan {
  if (select.kind === 'one') return { columns: [{ name: '', kind: 'int' }], sql: 'select 1' };
  if (select.kind === 'columns') return columnsPlan(select.schema, source);
  const columns = source.filter(({ table }) => isSame(table, select.table));
  if (columns.length === 0) throw new SqlError(208, `Invalid object name 'etl.${select.table}'.`);
  const from = `from etl.${escapeIdentifier(columns[0].table)}`;
  if (select.kind === 'count')
    return { columns: [{ name: select.name, kind: 'bigint' }], sql: `select count(*) ${from}` };
  return rowsPlan(select, from, columns);
}

function columnsPlan(schema: string | null, source: readonly SourceColumn[]): Plan {
  const names = ['table', 'column', 'type'];
  const rows =
    schema?.toLowerCase() === 'etl' ? source.map(({ table, name, type }) => [table, name, type]) : [];
  const fields = names.map((_, index) => `value ->> ${index}`).join(', ');
  return {
    columns: names.map((name) => ({ name, kind: { text: 128 } })),
    sql: `select ${fields} from jsonb_array_elements(current_setting('tds.value')::jsonb)`,
    value: JSON.stringify(rows),
  };
}

function rowsPlan(
  { expressions, top, from, orderBy }: Extract<Select, { kind: 'rows' }>,
  fromTable: string,
  columns: readonly SourceColumn[],
): Plan {
  const find = (name: string): SourceColumn => {
    const column = columns.find((one) => isSame(one.name, name));
    if (!column) throw new SqlError(207, `Invalid column name '${name}'.`);
    return column;
  };
  const binary = (name: string) => {
    const { name: own, type } = find(name);
    if (!type.startsWith('n'))
      throw new SqlError(447, `Expression type ${type} is invalid for COLLATE clause.`);
    return `${escapeIdentifier(own)} collate "C"`;
  };
  const values = expressions.map((one) => find(one.column).rendered(one));
  const condition =
    from &&
    (from.value === null ? 'where false' : `where ${binary(from.column)} >= current_setting('tds.value')`);
  return {
    columns: expressions.map((one) => ({ name: one.name, kind: find(one.column).kind(one) })),
    sql: [
      `select ${values.join(', ')} ${fromTable}`,
      condition,
      orderBy && `order by ${binary(orderBy)} nulls first`,
      top !== undefined && `limit ${top}`,
    ]
      .filter(Boolean)
      .join(' '),
    value: from?.value ?? undefined,
  };
}

/** Compares names like most databases, which ignore case. */
const isSame = (one: string, other: string) => one.toLowerCase() === other.toLowerCase();
