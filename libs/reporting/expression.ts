import type { AggFunc, Column } from './columns/column';

/** The values of the pivots' columns that a field stands for, as PostgreSQL reads them. */
export type PivotTuple = { column: Column; value: string | null }[];

/** What is computed for a field, a sort key or a filter. */
export type Expression =
  /** The column itself: of a leaf row, or of what a row is grouped by. */
  | { kind: 'value'; column: Column }
  /** The value that all items of the group share, else null. */
  | { kind: 'shared'; column: Column }
  /** An aggregate of the group, or of those of its items that have a pivot's values. */
  | { kind: 'aggregate'; column: Column; aggFunc?: AggFunc; pivot?: PivotTuple };

/** Whether an expression's values are numbers. */
export function isNumber(expression: Expression): boolean {
  const { column } = expression;
  if (column.type === 'integer' || column.type === 'decimal') return true;
  return expression.kind === 'aggregate' && (expression.aggFunc ?? '').startsWith('count');
}
