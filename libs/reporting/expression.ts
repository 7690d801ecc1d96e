import type { AggFunc, Column } from './columns/column';

/** One combination of the pivots' values: a field for each aggregated column stands for it. */
export interface Cell {
  number: number;
  /** For each column of the pivots the value, as PostgreSQL reads it. */
  values: { column: Column; value: string | null }[];
}

/** The value of a field, a sort key or a filter. */
export type Expression =
  /** The column itself, in a leaf row or as a key that rows are grouped by. */
  | { kind: 'value'; column: Column }
  /** The value that all items of the group have in common, otherwise null. */
  | { kind: 'shared'; column: Column }
  /** An aggregate over the group, or over those items of the group that are in the cell. */
  | { kind: 'aggregate'; column: Column; aggFunc?: AggFunc; pivot?: Cell };

/** An aggregate over those items of a group that are in a cell. */
export type Pivoted = Extract<Expression, { kind: 'aggregate' }> & { pivot: Cell };

export function isPivoted(expression: Expression): expression is Pivoted {
  return expression.kind === 'aggregate' && expression.pivot !== undefined;
}

/** A field of a row. */
export interface Field {
  name: string;
  expression: Expression;
}

/** Whether an expression's values are numbers. */
export function isNumber(expression: Expression): boolean {
  const { column } = expression;
  if (column.type === 'integer' || column.type === 'decimal') return true;
  return expression.kind === 'aggregate' && (expression.aggFunc ?? '').startsWith('count');
}
