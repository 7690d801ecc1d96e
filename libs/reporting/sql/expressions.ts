import type { Column, ColumnType } from '../columns/column';
import type { Bind } from '../condition';
import type { Expression } from '../expression';

/** A column's name in the common table expression `items`, which holds each column's source under its own name. */
export function itemName(column: Column): string {
  return `"${column.name}"`;
}

/** A column of `items`. Qualified: ORDER BY would take a bare name for that of an output. */
export function item(column: Column): string {
  return `items.${itemName(column)}`;
}

const castTypes: Record<ColumnType, string> = {
  text: 'text',
  id: 'uuid',
  boolean: 'boolean',
  integer: 'numeric',
  decimal: 'numeric',
  day: 'date',
  instant: 'timestamptz',
};

/** That a column's source has one value, given as text; null stands for rows without a value. */
export function equals(column: Column, sql: string, value: string | null, bind: Bind): string {
  return value === null ? `${sql} is null` : `${sql} = ${bind(value)}::${castTypes[column.type]}`;
}

/** A column's value, made of its source. */
export function finished(column: Column, sql: string): string {
  return column.measure?.finish?.(sql) ?? sql;
}

/** The SQL of an expression over `items`. */
export function expressionSql(expression: Expression, bind: Bind): string {
  const { column } = expression;
  if (expression.kind === 'value') return finished(column, item(column));
  if (expression.kind === 'shared') return sharedSql(column);
  if (!expression.pivot) return aggregateSql(column, expression.aggFunc, '');
  const filter = ` filter (where ${expression.pivot.map(({ column: pivot, value }) => equals(pivot, item(pivot), value, bind)).join(' and ')})`;
  return `case when count(*)${filter} > 0 then ${aggregateSql(column, expression.aggFunc, filter)} end`;
}

/** The SQL of an expression in the form in which rows are read: instants with milliseconds and an offset. */
export function shownSql(expression: Expression, bind: Bind): string {
  const sql = expressionSql(expression, bind);
  const counted = expression.kind === 'aggregate' && expression.aggFunc?.startsWith('count');
  if (expression.column.type !== 'instant' || counted) return sql;
  return `to_char(${sql} at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"+00:00"')`;
}

function sharedSql(column: Column): string {
  const name = item(column);
  const comparable = column.type === 'id' ? `${name}::text` : name;
  const [least, most] = column.type === 'boolean' ? ['bool_and', 'bool_or'] : ['min', 'max'];
  const value = `${least}(${comparable})`;
  return `case when ${value} = ${most}(${comparable}) and count(${name}) = count(*) then ${finished(column, value)} end`;
}

function aggregateSql(column: Column, aggFunc: string | undefined, filter: string): string {
  const name = item(column);
  const sum = (of: string) => `coalesce(sum(${of})${filter}, 0)`;
  const ratio = column.measure?.ratio;
  if (ratio && (aggFunc === undefined || aggFunc === 'avg'))
    return ratio.sql(...ratio.of.map((of) => sum(`items."${of}"`)));
  switch (aggFunc) {
    case 'sum':
      return finished(column, sum(name));
    case 'avg': {
      // the factor gives the quotient 20 decimals: PostgreSQL keeps as few as the operands have when they are large
      const mean = `sum(${name})${filter} * 1.00000000000000000000 / nullif(count(${name})${filter}, 0)`;
      return column.measure?.finish ? finished(column, `(${mean})`) : `round(${mean}, 10)`;
    }
    case 'count':
      return `count(${name})${filter}`;
    case 'countDistinct':
      return `count(distinct ${name})${filter}`;
    case 'min':
    case 'max':
      return finished(column, `${aggFunc}(${name})${filter}`);
    default:
      throw new Error(`${column.name} has no aggregate ${aggFunc}`);
  }
}
