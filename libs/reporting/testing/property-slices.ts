import * as fc from 'fast-check';
import type { NaiveColumn, NaiveReport } from './naive-columns';
import type { Sent } from './naive-criteria';
import { columnValue, type NaiveRow, shown } from './naive-values';
import type { Shape } from './property-shapes';

/** How the open parts of a shape are filled in. */
interface Filling {
  /** Rows whose values become keys and pivots. The keys are mostly the values of the first row. */
  rows: NaiveRow[];
  oneRow: boolean;
  keysAs: 'shown' | 'text' | 'null';
  zeroPick: number | null;
  /** How absent and false values are sent. */
  empty: null | undefined;
  off: false | null | undefined;
}

/** Slices of a shape that a report answers, except for faults that depend on the rows. */
export function slicesOf(
  report: NaiveReport,
  rows: readonly NaiveRow[],
  shapes: fc.Arbitrary<Shape>,
): fc.Arbitrary<Sent> {
  const filling: fc.Arbitrary<Filling> = fc.record({
    rows: fc.array(fc.constantFrom(...rows), { minLength: 3, maxLength: 3 }),
    oneRow: fc.constantFrom(true, true, true, true, false),
    keysAs: fc.constantFrom<Filling['keysAs']>('shown', 'shown', 'shown', 'shown', 'text', 'null'),
    zeroPick: fc.option(fc.nat(99), { freq: 2 }),
    empty: fc.constantFrom(null, undefined),
    off: fc.constantFrom(false, null, undefined),
  });
  return fc.tuple(shapes, filling).map(([shape, filled]) => sliceOf(report, shape, filled));
}

function sliceOf(report: NaiveReport, shape: Shape, filling: Filling): Sent {
  const { groups, totalsOnly, groupLeafLevel, filterZero } = shape;
  const { empty, off } = filling;
  const depth = Math.min(shape.depth, groups.length);
  const deepest = depth === groups.length;
  const pivots = deepest && !totalsOnly ? [] : shape.pivots;
  const cols = colsOf(report, shape, pivots.length > 0, empty);
  const aggregated = cols.filter((col) => isAggregated(report, col));
  const fields =
    pivots.length > 0 ? aggregated.map(({ colId }) => pivotField(pivots, filling.rows[1], colId)) : [];
  const zeroable =
    deepest && !groupLeafLevel
      ? measuresOf(report).map(({ name }) => name)
      : [...aggregated.filter((col) => isNumber(report, col)).map(({ colId }) => colId), ...fields];
  const zeroField =
    filling.zeroPick === null || zeroable.length === 0 ? empty : zeroable[filling.zeroPick % zeroable.length];
  const sortable = [...cols.map(({ colId }) => colId), ...groups.map(({ name }) => name), ...fields];
  const sortBy = shape.sort.map(({ pick, any, desc }) => {
    const from = any || sortable.length === 0 ? [...report.columns.keys()] : sortable;
    return { colId: from[pick % from.length], desc };
  });
  const colIds = (list: NaiveColumn[]) =>
    list.length === 0 ? empty : list.map(({ name }) => ({ colId: name }));
  return {
    cols,
    rowGroups: colIds(groups),
    pivots: colIds(pivots),
    sortBy,
    groupKeys: depth === 0 ? empty : keysOf(groups.slice(0, depth), filling),
    totalsOnly: totalsOnly || off,
    groupLeafLevel: groupLeafLevel || off,
    filterZero: filterZero || off,
    filterZeroField: filterZero ? zeroField : empty,
    ...shape.range,
  };
}

/** The columns; none that rows are grouped by is aggregated, and one is aggregated where the slice requires that. */
function colsOf(report: NaiveReport, shape: Shape, pivoted: boolean, empty: null | undefined): Sent[] {
  const { groups, depth, totalsOnly, groupLeafLevel } = shape;
  const here = groups.slice(0, depth + 1).map(({ name }) => name);
  const grouped = !totalsOnly && (depth < groups.length || groupLeafLevel);
  const cols: Sent[] = shape.cols.map((col) =>
    grouped && here.includes(col.colId) ? { ...col, aggFunc: empty } : col,
  );
  if (!(totalsOnly || pivoted) || cols.some((col) => isAggregated(report, col))) return cols;
  const { name } = measuresOf(report).find(
    (column) => !here.includes(column.name) && column.aggFuncs.includes('sum'),
  )!;
  return [...cols.filter(({ colId }) => colId !== name), { colId: name, aggFunc: 'sum' }];
}

function keysOf(columns: NaiveColumn[], { rows, oneRow, keysAs }: Filling): unknown[] {
  return columns.map((column, index) => {
    const value = shown(columnValue(column, rows[oneRow ? 0 : index][column.name]));
    if (keysAs === 'null') return index === 0 ? null : value;
    return keysAs === 'text' && value !== null ? String(value) : value;
  });
}

/** The name of the pivot field of a row. */
function pivotField(pivots: NaiveColumn[], row: NaiveRow, colId: string): string {
  const values = pivots.map((column) => shown(columnValue(column, row[column.name])) ?? '(Blank)');
  return [...values, colId].join('_');
}

const measuresOf = ({ columns }: NaiveReport) => [...columns.values()].filter(({ measure }) => measure);
const isAggregated = ({ ratios }: NaiveReport, { colId, aggFunc }: Sent) => !!aggFunc || colId in ratios;
const isNumber = ({ columns }: NaiveReport, { colId, aggFunc }: Sent) =>
  ['integer', 'decimal'].includes(columns.get(colId)!.type) || aggFunc.startsWith('count');
