import type { Column } from '../columns/column';
import { type Building, isSummed } from './building';

/**
 * The aggregate of bigints whose state is one, too. `sum` keeps numerics: up to two and a half times as slow, and in so
 * much memory that hundreds of thousands of groups spill to disk.
 */
export const BIGINT_SUM = 'read_model.sum_bigint';

/** Measures by the fact table's column that holds them. */
export function byFact(measures: Iterable<Column>): [string, Column][] {
  return [...new Map([...measures].map((column) => [column.measure!.fact!.column, column]))];
}

/** The name of the function that adds up a measure of facts, or sums of it. */
export function sumFunction(column: Column, parts: Building): string {
  return isBigint(column, parts) ? BIGINT_SUM : 'sum';
}

/** SQL of a rollup's sum, which is stored as a numeric, as it is added up. */
export function storedSum(column: Column, sql: string, parts: Building): string {
  return isBigint(column, parts) ? `${sql}::bigint` : sql;
}

function isBigint({ measure }: Column, parts: Building): boolean {
  return parts.scope.addsAs === 'bigint' && isSummed(parts) && measure?.fact?.scale !== undefined;
}

/** SQL of a measure's value, computed at the end: facts and sums of them hold whole numbers. */
export function unscaled({ measure }: Column, sql: string, parts: Building): string {
  const scale = isSummed(parts) ? measure?.fact?.scale : undefined;
  return scale ? `(${sql} * ${(10 ** -scale).toFixed(scale)})` : sql;
}
