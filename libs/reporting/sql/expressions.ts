import { type AggFunc, type Column, type ColumnType, ratioOf, type SourceContext } from '../columns/column';
import type { Bind } from '../condition';
import { type Expression, isNumber } from '../expression';
import { type Building, isSummed } from './building';
import { BIGINT_SUM, sumFunction, unscaled } from './sums';

/** A column's name in the common table expression `items`, which holds each column's source under the column's name. */
export function itemName(column: Column): string {
  return `"${column.name}"`;
}

/** A column of `items`, qualified because ORDER BY takes a bare name for an output column. */
export function item(column: Column): string {
  return `items.${itemName(column)}`;
}

/** SQL types of columns' values. */
export const castTypes: Record<ColumnType, string> = {
  text: 'text',
  id: 'uuid',
  boolean: 'boolean',
  integer: 'numeric',
  decimal: 'numeric',
  day: 'date',
  instant: 'timestamptz',
};

/** SQL that a column's source equals a value, given as text; null stands for rows without a value. */
export function equals(column: Column, sql: string, value: string | null, bind: Bind): string {
  return value === null ? `${sql} is null` : `${sql} = ${bind(value)}::${castTypes[column.type]}`;
}

/** SQL of a column's source. */
export function sourceSql({ source }: Column, context: SourceContext): string {
  return typeof source === 'string' ? source : source(context);
}

/** SQL of a column's value, computed from its source. */
export function finished(column: Column, sql: string): string {
  return column.measure?.finish?.(sql) ?? sql;
}

/** Columns of `items` when it holds sums: the number of rows, and the least and greatest value of a measure. */
export const ITEMS = 'row_items';
export function endOf(column: Column, end: 'min' | 'max'): string {
  return `"${column.name}.${end}"`;
}

/** Column of `items` with pivots: the number of the cell that the row is in. */
export const CELL = 'cell';

/** Builds the SQL of an expression over `items`. If these hold sums of rows, a measure's column is its sum. */
export function expressionSql(expression: Expression, parts: Building): string {
  const { column } = expression;
  if (expression.kind === 'value') return finished(column, item(column));
  if (expression.kind === 'shared') return sharedSql(column, parts);
  const { aggFunc, pivot } = expression;
  const conditions = pivot ? [`items.${CELL} = ${pivot.number}`] : [];
  const aggregate = isSummed(parts)
    ? summedSql(column, aggFunc, conditions, parts)
    : aggregateSql(column, aggFunc, filterOf(conditions), parts);
  return pivot ? `case when count(*)${filterOf(conditions)} > 0 then ${aggregate} end` : aggregate;
}

function filterOf(conditions: string[]): string {
  return conditions.length > 0 ? ` filter (where ${conditions.join(' and ')})` : '';
}

/** The SQL of an expression in the text format that rows show: instants with milliseconds and an offset. */
export function shownSql(expression: Expression, parts: Building): string {
  const sql = expressionSql(expression, parts);
  const counted = expression.kind === 'aggregate' && expression.aggFunc?.startsWith('count');
  if (expression.column.type !== 'instant' || counted) return sql;
  return `to_char(${sql} at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"+00:00"')`;
}

/** The SQL of an expression as JSON text, never null. */
export function jsonSql(expression: Expression, parts: Building): string {
  const sql = shownSql(expression, parts);
  return `coalesce(${jsonText(expression, sql)}, 'null')`;
}

function jsonText(expression: Expression, sql: string): string {
  const { kind, column } = expression;
  if (kind === 'value' && column.type === 'integer') return `(${sql})::text`;
  if (isNumber(expression)) return `trim_scale((${sql})::numeric)::text`;
  switch (column.type) {
    case 'boolean':
      return `(${sql})::text`;
    case 'id':
      return kind === 'value'
        ? `'"' || encode(uuid_send(${sql}), 'hex') || '"'`
        : `'"' || replace((${sql})::text, '-', '') || '"'`;
    case 'instant':
      return `'"' || ${sql} || '"'`;
    default:
      // Escaping is most of the cost of a text. Values of a column with choices need no escaping.
      return column.choices ? `'"' || (${sql}) || '"'` : `to_json(${sql})::text`;
  }
}

function sharedSql(column: Column, parts: Building): string {
  if (isSummed(parts) && column.measure) {
    const [least, most] = [`min(items.${endOf(column, 'min')})`, `max(items.${endOf(column, 'max')})`];
    return `case when ${least} = ${most} then ${finished(column, unscaled(column, least, parts))} end`;
  }
  const name = item(column);
  const comparable = column.type === 'id' ? `${name}::text` : name;
  const [least, most] = column.type === 'boolean' ? ['bool_and', 'bool_or'] : ['min', 'max'];
  const value = `${least}(${comparable})`;
  return `case when ${value} = ${most}(${comparable}) and count(${name}) = count(*) then ${finished(column, value)} end`;
}

/** SQL of an aggregate of rows, computed from sums of these rows. */
function summedSql(
  column: Column,
  aggFunc: AggFunc | undefined,
  conditions: string[],
  parts: Building,
): string {
  const filter = filterOf(conditions);
  const counted = (where: string) => `${BIGINT_SUM}(items.${ITEMS})${where}`;
  if (aggFunc === 'count' && !column.measure && !column.required)
    return `coalesce(${counted(filterOf([...conditions, `${item(column)} is not null`]))}, 0)`;
  if (aggFunc === 'count') return `coalesce(${counted(filter)}, 0)`;
  if (aggFunc === 'avg' && !ratioOf(column, aggFunc))
    return meanSql(column, added(column, filter, parts), counted(filter));
  if ((aggFunc === 'min' || aggFunc === 'max') && column.measure)
    return finished(column, unscaled(column, `${aggFunc}(items.${endOf(column, aggFunc)})${filter}`, parts));
  return aggregateSql(column, aggFunc, filter, parts);
}

/** SQL of a measure's sum; null for no rows. */
function added(column: Column, filter: string, parts: Building): string {
  return unscaled(column, `${sumFunction(column, parts)}(${item(column)})${filter}`, parts);
}

/**
 * SQL of a mean. The factor gives the quotient 20 decimals: for large operands PostgreSQL keeps only as many as they
 * have.
 */
function meanSql(column: Column, sum: string, count: string): string {
  const mean = `${sum} * 1.00000000000000000000 / nullif(${count}, 0)`;
  return column.measure?.finish ? finished(column, `(${mean})`) : `round(${mean}, 10)`;
}

function aggregateSql(column: Column, aggFunc: AggFunc | undefined, filter: string, parts: Building): string {
  const name = item(column);
  const ratio = ratioOf(column, aggFunc);
  if (ratio) return ratio.sql(...ratio.of.map((of) => `coalesce(sum(items."${of}")${filter}, 0)`));
  switch (aggFunc) {
    case 'sum':
      return finished(column, `coalesce(${added(column, filter, parts)}, 0)`);
    case 'avg':
      return meanSql(column, added(column, filter, parts), `count(${name})${filter}`);
    case 'count':
      return `count(${column.required ? '*' : name})${filter}`;
    case 'countDistinct':
      return `count(distinct ${name})${filter}`;
    case 'min':
    case 'max':
      return finished(column, `${aggFunc}(${name})${filter}`);
    default:
      throw new Error(`${column.name} has no aggregate ${aggFunc}`);
  }
}
