import type { NaiveColumn } from './naive-columns';
import type { NaivePivot } from './naive-pivots';
import type { NaiveCol, NaiveSlice } from './naive-slice';
import type { NaiveRow } from './naive-values';

/**
 * The path of the part of a slice that adds up amounts of several currencies. Fields of pivots by currency separate
 * them, but sort keys and zero filters need not be such fields.
 */
export function addsMoney(
  { level, below, cols, groups, keys, tuple, pivots, sort, zero }: NaiveSlice,
  cells: NaivePivot[],
): string | undefined {
  if (level === 'leaf') return undefined;
  const here = level === 'group' ? tuple : [];
  if (apart([...groups.slice(0, keys.length), ...here])) return undefined;
  // A key of the groups shows its value, but the cells of pivots add it up.
  const added = cols
    .filter(isAdded)
    .map(({ column }) => column)
    .filter((column) => pivots.length > 0 || !here.includes(column));
  if (!apart(pivots)) return added.length > 0 ? 'slice.cols' : undefined;
  const isUnseen = (of: string | null | undefined) =>
    added.some(({ name }) => name === of) && !cells.some(({ field }) => field === of);
  const sorted = level === 'group' ? sort.findIndex(({ colId }) => isUnseen(colId)) : -1;
  if (sorted >= 0) return `slice.sortBy[${sorted}].colId`;
  // A single row has one currency.
  const isAddedUp = below === 'group' && !apart(tuple);
  return isAddedUp && isUnseen(zero?.field) ? 'slice.filterZeroField' : undefined;
}

/** Whether the zero filter adds up amounts of several currencies: a sum of 0 says nothing then. */
export function zeroAddsMoney(
  { below, cols, groups, keys, tuple, pivots, zero }: NaiveSlice,
  cells: NaivePivot[],
): boolean {
  if (!zero || below === 'leaf' || apart([...groups.slice(0, keys.length), ...tuple])) return false;
  const added = cols.filter((col) => isAdded(col) && (col.aggFunc || !tuple.includes(col.column)));
  const cell = cells.find(({ field }) => field === zero.field);
  if (zero.field === null || cell)
    return !apart(pivots) && added.some((col) => zero.field === null || col === cell?.col);
  return added.some(({ column }) => column.name === zero.field);
}

const apart = (columns: NaiveColumn[]) => columns.some(({ name }) => name === 'currency');

const isAdded = ({ column, aggFunc, aggregated }: NaiveCol) =>
  aggregated && column.money && !/^(min|max|count)/.test(aggFunc ?? '');

export function mixesCurrencies(unit: readonly NaiveRow[]): boolean {
  return new Set(unit.map(({ currency }) => currency)).size > 1;
}
