import type { NaiveColumn, NaiveReport } from './naive-columns';
import { type Fault, type NaiveTenant, readNaiveCriteria, type Sent } from './naive-criteria';
import { addsMoney, mixesCurrencies, zeroAddsMoney } from './naive-currencies';
import { type NaivePivot, naivePivots } from './naive-pivots';
import { type NaiveCol, type NaiveSlice, readNaiveSlice } from './naive-slice';
import {
  aggregate,
  columnValue,
  compareValues,
  type NaiveRow,
  type NaiveValue,
  sharedValue,
  shown,
} from './naive-values';

/** A client's request to a report. */
export interface Asked {
  criteria: Sent;
  slice: Sent;
}

/** A report's answer: fields in their order, or all faults of which it may report any. */
export type NaiveAnswer =
  | { faults: Fault[] }
  | {
      rows: [field: string, value: unknown][][];
      lastRow: number;
      pivotResultFields: { field: string; keys: unknown[]; colId: string }[];
      ignoredSort: string[];
    };

/** The rows behind one row of the answer. */
type Unit = NaiveRow[];

/**
 * The answer that reporting.md specifies, computed from all rows of the report one after the other.
 * @param rows rows of the tenant, including deleted ones
 */
export function naiveAnswer(
  report: NaiveReport,
  rows: readonly NaiveRow[],
  { criteria: sentCriteria, slice: sentSlice }: Asked,
  tenant: NaiveTenant,
): NaiveAnswer {
  const criteria = readNaiveCriteria(report, sentCriteria, tenant);
  const slice = readNaiveSlice(report, sentSlice);
  if (Array.isArray(slice)) return { faults: [...criteria.faults, ...slice] };
  if (criteria.faults.length > 0) return { faults: criteria.faults };
  const meant = rows.filter((row) => criteria.holds(row));
  const pivots = naivePivots(slice, meant);
  if (pivots.length > 500) return { faults: [{ reason: 'PIVOT_TOO_WIDE', path: 'slice.pivots' }] };
  const sort = readSort(report, slice, pivots);
  const measures = zeroMeasures(report, slice, pivots);
  const faults = [...sort.faults, ...('reason' in measures ? [measures] : [])];
  if ('reason' in measures || faults.length > 0) return { faults };

  const inside = meant.filter((row) =>
    slice.keys.every(
      (key, index) => String(columnValue(slice.groups[index], row[slice.groups[index].name])) === String(key),
    ),
  );
  const counted = (unit: Unit) =>
    measures.length === 0 || measures.some((measure) => Number(measure(unit) ?? 0) !== 0);
  const isUnclear = zeroAddsMoney(slice, pivots) ? mixesCurrencies : () => false;
  const units = unitsOf(slice, inside).filter((unit) => counted(unit) || isUnclear(unit));
  const all = slice.level === 'totals' ? [units.flat()] : sorted(slice, units, sort.keys);
  const page = all.slice(slice.start, slice.end);
  const path = addsMoney(slice, pivots);
  if (path && slice.start < all.length && slice.start < slice.end && all.some(mixesCurrencies))
    return { faults: [{ reason: 'MIXED_CURRENCY', path }] };
  const fields = fieldsOf(report, slice, pivots);
  const complete = slice.start < slice.end && slice.end >= all.length;
  return {
    rows: page.map((unit) => fields.map(([field, value]) => [field, shown(value(unit))])),
    lastRow: complete ? all.length : -1,
    pivotResultFields: pivots.map(({ field, keys, colId }) => ({ field, keys, colId })),
    ignoredSort: sort.ignored,
  };
}

function unitsOf(slice: NaiveSlice, rows: NaiveRow[]): Unit[] {
  if (slice.below === 'leaf') return rows.map((row) => [row]);
  const units = new Map<string, Unit>();
  for (const row of rows) {
    const key = JSON.stringify(slice.tuple.map(({ name }) => shown(row[name])));
    units.set(key, [...(units.get(key) ?? []), row]);
  }
  return [...units.values()];
}

type Value = (unit: Unit) => NaiveValue;

const own =
  (column: NaiveColumn): Value =>
  ([row]) =>
    columnValue(column, row[column.name]);

const computed =
  (report: NaiveReport, { column, aggFunc }: NaiveCol): Value =>
  (unit) =>
    aggregate(report, column, aggFunc, unit);

const cell =
  (report: NaiveReport, { col, holds }: NaivePivot): Value =>
  (unit) => {
    const rows = unit.filter(holds);
    return rows.length === 0 ? null : aggregate(report, col.column, col.aggFunc, rows);
  };

/** Fields of a row in the order of reporting.md: the cols, the groups that are not among them, the pivots. */
function fieldsOf(report: NaiveReport, slice: NaiveSlice, pivots: NaivePivot[]): [string, Value][] {
  const { level, cols, groups, tuple } = slice;
  const keys = level === 'totals' ? [] : level === 'leaf' ? groups : tuple;
  const fields: [string, Value][] = [];
  for (const col of cols) {
    const { column, aggregated } = col;
    if (level === 'leaf' || keys.includes(column)) fields.push([column.name, own(column)]);
    else if (!aggregated) {
      if (level === 'group') fields.push([column.name, (unit) => sharedValue(column, unit)]);
    } else if (slice.pivots.length === 0) fields.push([column.name, computed(report, col)]);
  }
  for (const column of keys)
    if (!cols.some((col) => col.column === column)) fields.push([column.name, own(column)]);
  return [...fields, ...pivots.map((pivot): [string, Value] => [pivot.field, cell(report, pivot)])];
}

interface SortKey {
  value: Value;
  type: NaiveColumn['type'];
  desc: boolean;
}

function readSort(report: NaiveReport, slice: NaiveSlice, pivots: NaivePivot[]) {
  const keys: SortKey[] = [];
  const ignored: string[] = [];
  const faults: Fault[] = [];
  slice.sort.forEach(({ colId, desc }, index) => {
    const pivot = pivots.find(({ field }) => field === colId);
    const column = report.columns.get(colId);
    const col = slice.cols.find((each) => each.column === column);
    if (pivot) keys.push({ value: cell(report, pivot), type: 'decimal', desc });
    else if (!column && unmadeCell(slice, colId)) ignored.push(colId);
    else if (!column) faults.push({ reason: 'UNKNOWN_COLUMN', path: `slice.sortBy[${index}].colId` });
    else if (slice.level === 'leaf' || (slice.level === 'group' && slice.tuple.includes(column)))
      keys.push({ value: own(column), type: column.type, desc });
    else if (col?.aggregated) keys.push({ value: computed(report, col), type: column.type, desc });
    else ignored.push(colId);
  });
  return { keys, ignored: [...new Set(ignored)], faults };
}

/**
 * The col of which a name like `Billed_units`, or `Billed_units (2)`, would be a pivot field if other rows created it.
 */
function unmadeCell({ pivots, cols }: NaiveSlice, name: string): NaiveCol | undefined {
  const last = name.split(' (')[0].split('_').slice(1).at(-1);
  return pivots.length === 0
    ? undefined
    : cols.find(({ column, aggregated }) => aggregated && column.name === last);
}

/** Sorts rows. Ties are ordered by the row's keys, in the direction of the last sort key. */
function sorted({ level, tuple }: NaiveSlice, units: Unit[], keys: SortKey[]): Unit[] {
  const desc = keys.at(-1)?.desc ?? false;
  const tie: SortKey = { value: ([row]) => row.tie, type: 'text', desc };
  const ties =
    level === 'leaf' ? [tie] : tuple.map((column) => ({ value: own(column), type: column.type, desc }));
  const order = [...keys, ...ties];
  return units
    .map((unit) => ({ unit, values: order.map(({ value }) => value(unit)) }))
    .sort((one, other) => {
      for (const [index, { type, desc: down }] of order.entries()) {
        const compared = compareValues(type, one.values[index], other.values[index]);
        if (compared !== 0) return down ? -compared : compared;
      }
      return 0;
    })
    .map(({ unit }) => unit);
}

const isNumber = ({ column, aggFunc = '' }: NaiveCol) =>
  column.type === 'integer' || column.type === 'decimal' || aggFunc.startsWith('count');

/** The measures of which one must not be zero for a row, below totals, to be kept; empty: all rows are kept. */
function zeroMeasures(report: NaiveReport, slice: NaiveSlice, pivots: NaivePivot[]): Value[] | Fault {
  if (!slice.zero) return [];
  const { field } = slice.zero;
  const path = 'slice.filterZeroField';
  const leaf = slice.below === 'leaf';
  const isKey = ({ aggFunc, column }: NaiveCol) => !aggFunc && slice.tuple.includes(column);
  const isAggregate = (col: NaiveCol) => col.aggregated && !isKey(col) && isNumber(col);
  const numbers = slice.cols.filter((col) => (leaf ? col.column.measure : isAggregate(col)));
  if (field === null) {
    if (leaf) return numbers.map(({ column }) => own(column));
    const isAmount = ({ column, aggFunc }: NaiveCol) => column.measure && !/^count/.test(aggFunc ?? '');
    const amounts = pivots.filter(({ col }) => isAmount(col)).map((each) => cell(report, each));
    return slice.pivots.length > 0 ? amounts : numbers.filter(isAmount).map((col) => computed(report, col));
  }
  const pivot = pivots.find((each) => each.field === field);
  if (pivot && !leaf) return isNumber(pivot.col) ? [cell(report, pivot)] : { reason: 'NO_AGGREGATE', path };
  const column = report.columns.get(field);
  const unmade = column || leaf ? undefined : unmadeCell(slice, field);
  if (unmade) return isNumber(unmade) ? [() => null] : { reason: 'NO_AGGREGATE', path };
  if (!column) return { reason: 'UNKNOWN_COLUMN', path };
  if (leaf) return column.measure ? [own(column)] : { reason: 'NO_AGGREGATE', path };
  const col = numbers.find((each) => each.column === column);
  return col ? [computed(report, col)] : { reason: 'NO_AGGREGATE', path };
}
