import type { Field } from './expression';
import { type Col, isAggregated, type Slice } from './slice/slice';

/** A field that a pivot creates from an aggregated column. */
export interface PivotField extends Field {
  /** The values of the pivots as rows show them. */
  keys: unknown[];
  colId: string;
}

export const MAXIMUM_PIVOT_FIELDS = 500;

/** One combination of the values of the pivots. */
export interface PivotValues {
  shown: unknown[];
  exact: (string | null)[];
}

/** The fields of a pivoted slice: one for each combination of values and each aggregated column. */
export function pivotFields(slice: Slice, combinations: PivotValues[]): PivotField[] {
  const taken = new Set<string>();
  return combinations.flatMap(({ shown, exact }, number) => {
    const pivot = { number, values: slice.pivots.map((column, index) => ({ column, value: exact[index] })) };
    return slice.cols.filter(isAggregated).map(({ column, aggFunc }) => {
      const values = shown.map((value) => (value === null ? '(Blank)' : String(value)));
      return {
        name: unique([...values, column.name].join('_'), taken),
        keys: shown,
        colId: column.name,
        expression: { kind: 'aggregate', column, aggFunc, pivot },
      };
    });
  });
}

/**
 * Makes a name unique by numbering it. Different values can result in the same name, as `a_b` with `c` and `a` with
 * `b_c`.
 */
function unique(name: string, taken: Set<string>): string {
  let field = name;
  for (let count = 2; taken.has(field); count++) field = `${name} (${count})`;
  taken.add(field);
  return field;
}

/**
 * The maximum number of rows that keeps the names of the pivots' fields, which every row repeats, within `mostBytes` in
 * total.
 */
export function mostRows(fields: readonly PivotField[], mostBytes: number): number {
  const names = fields.reduce((length, { name }) => length + JSON.stringify(name).length, 0);
  return names === 0 ? Number.POSITIVE_INFINITY : Math.max(1, Math.floor(mostBytes / names));
}

/**
 * The column that a name would be a pivot field of, judged by its form alone: the current criteria need not create that
 * field.
 */
export function pivotedCol({ pivots, cols }: Slice, name: string): Col | undefined {
  if (pivots.length === 0) return undefined;
  const unnumbered = name.replace(/ \(\d+\)$/, '');
  return cols.find((col) => isAggregated(col) && unnumbered.endsWith(`_${col.column.name}`));
}
