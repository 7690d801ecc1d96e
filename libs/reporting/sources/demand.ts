import type { Column } from '../columns/column';
import { baseOf, type Report } from '../columns/report';
import type { Expression } from '../expression';

/** What a query needs to know of the rows that it is over. */
export interface Demand {
  /** Columns whose values it groups, tells apart or counts by. */
  keys: Set<Column>;
  /** Measures of which sums, and the number of rows, are enough. */
  sums: Set<Column>;
  /** Measures of which the least and the greatest value are enough. */
  extremes: Set<Column>;
  /** It needs the rows themselves. */
  rows: boolean;
}

/** @param keys columns that are grouped by, beside those of the expressions */
export function demandOf(report: Report, keys: Iterable<Column>, expressions: Iterable<Expression>): Demand {
  const demand: Demand = { keys: new Set(), sums: new Set(), extremes: new Set(), rows: false };
  const key = (column: Column) => {
    demand.keys.add(column);
    if (column.measure || baseOf(report, column) === undefined) demand.rows = true;
  };
  const measure = (column: Column, kind: 'sums' | 'extremes') => {
    demand[kind].add(column);
    if (!column.measure?.fact) demand.rows = true;
  };
  for (const column of keys) key(column);
  for (const expression of expressions) {
    const { kind, column } = expression;
    const aggFunc = kind === 'aggregate' ? expression.aggFunc : undefined;
    const ratio =
      kind === 'aggregate' && (aggFunc === undefined || aggFunc === 'avg') && column.measure?.ratio;
    if (kind === 'aggregate') for (const { column: pivot } of expression.pivot ?? []) key(pivot);
    // Of what is never null there are as many as rows.
    if (aggFunc === 'count' && column.required) continue;
    if (ratio) for (const name of ratio.of) measure(report.columns.get(name)!, 'sums');
    else if (kind === 'value' || !column.measure) key(column);
    else measure(column, kind === 'shared' || aggFunc === 'min' || aggFunc === 'max' ? 'extremes' : 'sums');
  }
  return demand;
}
