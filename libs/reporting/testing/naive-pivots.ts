import type { NaiveCol, NaiveSlice } from './naive-slice';
import { columnValue, compareValues, type NaiveRow, shown } from './naive-values';

/** A field that a pivot creates. */
export interface NaivePivot {
  field: string;
  keys: unknown[];
  colId: string;
  col: NaiveCol;
  /** Whether a row belongs to the field's values. */
  holds(row: NaiveRow): boolean;
}

/**
 * Each aggregated column for each tuple of the pivots' values, lowest first.
 * @param rows rows that meet the criteria
 */
export function naivePivots({ pivots, cols }: NaiveSlice, rows: readonly NaiveRow[]): NaivePivot[] {
  if (pivots.length === 0) return [];
  const tuple = (row: NaiveRow) => pivots.map((column) => columnValue(column, row[column.name]));
  const text = (row: NaiveRow) => JSON.stringify(tuple(row).map(shown));
  const first = [...new Map(rows.map((row) => [text(row), row])).values()].sort((one, other) => {
    for (const [index, { type }] of pivots.entries()) {
      const compared = compareValues(type, tuple(one)[index], tuple(other)[index]);
      if (compared !== 0) return compared;
    }
    return 0;
  });
  const texts = new Map(rows.map((row) => [row, text(row)]));
  const taken = new Set<string>();
  const fields: NaivePivot[] = [];
  for (const row of first) {
    const keys = tuple(row).map(shown);
    for (const col of cols.filter(({ aggregated }) => aggregated)) {
      const name = `${keys.map((key) => (key === null ? '(Blank)' : String(key))).join('_')}_${col.column.name}`;
      let field = name;
      for (let number = 2; taken.has(field); number++) field = `${name} (${number})`;
      taken.add(field);
      const holds = (other: NaiveRow) => texts.get(other) === texts.get(row);
      fields.push({ field, keys, colId: col.column.name, col, holds });
    }
  }
  return fields;
}
