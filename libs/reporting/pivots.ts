import type { Expression } from './expression';
import { type Col, isAggregated, type Slice } from './slice/slice';

/** A field that a pivot makes of an aggregated column. */
export interface PivotField {
  field: string;
  /** The pivots' values as rows show them. */
  keys: unknown[];
  colId: string;
  expression: Expression;
}

export const MAXIMUM_PIVOT_FIELDS = 500;

/** One combination of the pivots' values. */
export interface PivotValues {
  shown: unknown[];
  exact: (string | null)[];
}

/** The fields of a pivoted slice: for each combination of values, each aggregated column. */
export function pivotFields(slice: Slice, combinations: PivotValues[]): PivotField[] {
  const taken = new Set<string>();
  return combinations.flatMap(({ shown, exact }) => {
    const pivot = slice.pivots.map((column, index) => ({ column, value: exact[index] }));
    return slice.cols.filter(isAggregated).map(({ column, aggFunc }) => {
      const name = [...shown.map((value) => (value === null ? '(Blank)' : String(value))), column.name].join(
        '_',
      );
      const field = unique(name, taken);
      return {
        field,
        keys: shown,
        colId: column.name,
        expression: { kind: 'aggregate', column, aggFunc, pivot },
      };
    });
  });
}

/** Different values can join to the same name, as `a_b` with `c` and `a` with `b_c`: the later one is numbered. */
function unique(name: string, taken: Set<string>): string {
  let field = name;
  for (let count = 2; taken.has(field); count++) field = `${name} (${count})`;
  taken.add(field);
  return field;
}

/** How many rows may repeat the names of a pivot's fields, which come to so many bytes in all of them. */
export function mostRows(fields: readonly PivotField[], mostBytes: number): number {
  const names = fields.reduce((length, { field }) => length + JSON.stringify(field).length, 0);
  return names === 0 ? Number.POSITIVE_INFINITY : Math.max(1, Math.floor(mostBytes / names));
}

/** The column of whose fields a name is one by its form, whether or not the present criteria make that field. */
export function pivotedCol({ pivots, cols }: Slice, name: string): Col | undefined {
  if (pivots.length === 0) return undefined;
  const unnumbered = name.replace(/ \(\d+\)$/, '');
  return cols.find((col) => isAggregated(col) && unnumbered.endsWith(`_${col.column.name}`));
}
