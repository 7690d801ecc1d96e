import { SqlError } from './faults';
import type { Statement } from './requests';

/** A column of a result, as requested. */
export interface Expression {
  readonly name: string;
  readonly column: string;
  /** The n of `convert(nvarchar(n), …)`; undefined without conversion. */
  readonly length?: number | 'max';
  /** Whether it is `convert(…, 126)`. */
  readonly isIso: boolean;
}

/** One of the statements of an import. */
export type Select =
  | { readonly kind: 'setting' }
  | { readonly kind: 'one' }
  | { readonly kind: 'columns'; readonly schema: string | null }
  | { readonly kind: 'count'; readonly table: string; readonly name: string }
  | {
      readonly kind: 'rows';
      readonly table: string;
      readonly expressions: readonly Expression[];
      readonly top?: number;
      /** The condition `column >= value`. */
      readonly from?: { readonly column: string; readonly value: string | null };
      readonly orderBy?: string;
    };

const columnsShape =
  /^select TABLE_NAME as \[table\], COLUMN_NAME as \[column\], DATA_TYPE as \[type\] from INFORMATION_SCHEMA\.COLUMNS where TABLE_SCHEMA = @(\w+)$/i;
const countShape = /^select count_big\(\*\) as \[(\w+)\] from \[etl\]\.\[(\w+)\]$/i;
const rowsShape =
  /^select (?:top \((\d+)\) )?(.+) from \[etl\]\.\[(\w+)\](?: where \[(\w+)\] collate Latin1_General_BIN2 >= @(\w+))?(?: order by \[(\w+)\] collate Latin1_General_BIN2)?$/i;
const expressionShape =
  /(?:\[(\w+)\]|convert\(nvarchar\((max|\d+)\), \[(\w+)\](?:, (126))?\)) as \[(\w+)\](?:, |$)/iy;

/** @throws {SqlError} 102 for any other statement than those of an import */
export function selectOf({ sql, values }: Statement): Select {
  const text = sql.trim().replace(/;$/, '').replaceAll(/\s+/g, ' ');
  if (/^set \w+( \w+)+( set \w+( \w+)+)*$/i.test(text)) return { kind: 'setting' };
  if (/^select 1$/i.test(text)) return { kind: 'one' };
  const columns = columnsShape.exec(text);
  if (columns) return { kind: 'columns', schema: parameterOf(values, columns[1]) };
  const count = countShape.exec(text);
  if (count) return { kind: 'count', name: count[1], table: count[2] };
  const rows = rowsShape.exec(text);
  if (!rows) throw new SqlError(102, `Incorrect syntax near '${text.slice(0, 40)}'.`, 15);
  const [, top, list, table, column, parameter, orderBy] = rows;
  return {
    kind: 'rows',
    table,
    expressions: expressionsOf(list),
    top: top === undefined ? undefined : Number(top),
    from: column === undefined ? undefined : { column, value: parameterOf(values, parameter) },
    orderBy,
  };
}

function expressionsOf(list: string): Expression[] {
  const expressions: Expression[] = [];
  for (expressionShape.lastIndex = 0; expressionShape.lastIndex < list.length; ) {
    const found = expressionShape.exec(list);
    if (!found) throw new SqlError(102, `Incorrect syntax near '${list.slice(0, 40)}'.`, 15);
    const [whole, bare, length, converted, iso, name] = found;
    expressions.push({
      name,
      column: bare ?? converted,
      length: length === undefined ? undefined : length.toLowerCase() === 'max' ? 'max' : Number(length),
      isIso: iso !== undefined,
    });
    if (expressionShape.lastIndex === list.length && whole.endsWith(', '))
      throw new SqlError(102, "Incorrect syntax near the keyword 'from'.", 15);
  }
  return expressions;
}

function parameterOf(values: ReadonlyMap<string, string | null>, name: string): string | null {
  const value = values.get(name);
  if (value === undefined) throw new SqlError(137, `Must declare the scalar variable "@${name}".`, 15);
  return value;
}
