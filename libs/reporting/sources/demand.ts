import { type Column, ratioOf } from '../columns/column';
import { baseOf, type Report } from '../columns/report';
import type { Expression } from '../expression';

/** What a query needs from its source. */
export interface Demand {
  /** Columns that the query groups by, distinguishes or counts. */
  keys: Set<Column>;
  /** Measures of which it needs only the sums and the number of rows. */
  sums: Set<Column>;
  /** Measures of which it needs only the least and the greatest value. */
  extremes: Set<Column>;
  /** The query needs the rows themselves. */
  rows: boolean;
}

/** @param keys columns that the query groups by, in addition to those of the expressions */
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
    const ratio = kind === 'aggregate' && ratioOf(column, aggFunc);
    if (kind === 'aggregate') for (const cell of expression.pivot?.values ?? []) key(cell.column);
    // A count of a column that is never null is the number of rows.
    if (aggFunc === 'count' && column.required) continue;
    if (ratio) for (const name of ratio.of) measure(report.columns.get(name)!, 'sums');
    else if (kind === 'value' || !column.measure) key(column);
    else measure(column, kind === 'shared' || aggFunc === 'min' || aggFunc === 'max' ? 'extremes' : 'sums');
  }
  return demand;
}
