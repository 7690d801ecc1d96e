import { type AggFunc, aggFuncs, allowedAggFuncs, type Column } from '../columns/column';
import type { Report } from '../columns/report';
import { quote, refused } from '../refusal';
import { type GroupKey, readGroupKey } from './group-key';
import type { AggregationSliceSpecInput } from './slice.input';

const DEFAULT_ROWS = 100;
const MAXIMUM_ROWS = 10_000;

/** A column of a row. */
export interface Col {
  column: Column;
  aggFunc?: AggFunc;
}

export interface Sort {
  colId: string;
  desc: boolean;
  path: string;
}

/** A slice whose names and numbers have all been checked against the report. */
export interface Slice {
  cols: Col[];
  groups: Column[];
  /** Values of the first of `groups`. */
  keys: GroupKey[];
  pivots: Column[];
  totals: boolean;
  /** Whether leaf rows are grouped by the tuple of their columns without an aggFunc. */
  groupLeaves: boolean;
  sort: Sort[];
  start: number;
  end: number;
  zero?: { field: string | null };
}

/** Whether the rows are the report's own rows rather than groups. */
export function isLeaf(slice: Slice): boolean {
  return slice.keys.length === slice.groups.length && !slice.groupLeaves;
}

/** Whether a column of a group row or of the totals is an aggregate. */
export function isAggregated({ column, aggFunc }: Col): boolean {
  return aggFunc !== undefined || column.measure?.ratio !== undefined;
}

/** Reads a slice and checks it against a report. */
export function readSlice(input: AggregationSliceSpecInput | null | undefined, report: Report): Slice {
  const groups = readColumns(input?.rowGroups ?? [], 'slice.rowGroups', report);
  const totals = input?.totalsOnly ?? false;
  const slice: Slice = {
    cols: readCols(input?.cols ?? [], report),
    groups,
    keys: readKeys(input?.groupKeys ?? [], groups),
    pivots: readColumns(input?.pivots ?? [], 'slice.pivots', report),
    totals,
    groupLeaves: input?.groupLeafLevel ?? false,
    sort: (input?.sortBy ?? []).map(({ colId, desc }, index) => ({
      colId,
      desc: desc ?? false,
      path: `slice.sortBy[${index}].colId`,
    })),
    ...(totals ? { start: 0, end: 1 } : readRange(input)),
    zero: input?.filterZero ? { field: input.filterZeroField ?? null } : undefined,
  };
  checkLevel(slice);
  return slice;
}

/** @throws UNKNOWN_COLUMN, with a list of the report's columns */
export function findColumn(report: Report, colId: string, path: string): Column {
  const column = report.columns.get(colId);
  if (column) return column;
  const known = [...report.columns.keys()].join(', ');
  throw refused(
    'UNKNOWN_COLUMN',
    path,
    `${report.name} has no column ${quote(colId)}. Its columns: ${known}.`,
  );
}

function readColumns(inputs: readonly { colId: string }[], path: string, report: Report): Column[] {
  const columns = inputs.map(({ colId }, index) => findColumn(report, colId, `${path}[${index}].colId`));
  columns.forEach((column, index) => {
    if (columns.indexOf(column) < index)
      throw refused('DUPLICATE_COLUMN', `${path}[${index}].colId`, `${column.name} is named twice.`);
  });
  return columns;
}

function readCols(inputs: NonNullable<AggregationSliceSpecInput['cols']>, report: Report): Col[] {
  return readColumns(inputs, 'slice.cols', report).map((column, index) => {
    const aggFunc = inputs[index].aggFunc ?? undefined;
    const path = `slice.cols[${index}].aggFunc`;
    if (aggFunc === undefined) return { column };
    if (!isAggFunc(aggFunc)) {
      const known = aggFuncs.join(', ');
      throw refused('UNKNOWN_AGG', path, `${quote(aggFunc)} is no aggFunc. Known are ${known}.`);
    }
    const allowed = allowedAggFuncs(column);
    if (!allowed.includes(aggFunc))
      throw refused('AGG_NOT_ALLOWED', path, `${column.name} takes ${allowed.join(', ')}, not ${aggFunc}.`);
    return { column, aggFunc };
  });
}

function isAggFunc(text: string): text is AggFunc {
  return (aggFuncs as readonly string[]).includes(text);
}

function readKeys(keys: NonNullable<AggregationSliceSpecInput['groupKeys']>, groups: Column[]): GroupKey[] {
  if (keys.length > groups.length)
    throw refused(
      'GROUP_KEYS_TOO_LONG',
      `slice.groupKeys[${groups.length}]`,
      `There are ${keys.length} groupKeys for ${groups.length} rowGroups.`,
    );
  return keys.map((key, index) => readGroupKey(groups[index], key, `slice.groupKeys[${index}]`));
}

function readRange(input: AggregationSliceSpecInput | null | undefined): { start: number; end: number } {
  const start = input?.startRow ?? 0;
  const end = input?.endRow ?? start + DEFAULT_ROWS;
  if (start < 0) throw refused('RANGE_INVALID', 'slice.startRow', 'startRow counts from 0.');
  if (end < start) throw refused('RANGE_INVALID', 'slice.endRow', 'endRow is before startRow.');
  if (end - start > MAXIMUM_ROWS)
    throw refused(
      'SLICE_TOO_LARGE',
      'slice.endRow',
      `At most ${MAXIMUM_ROWS} rows can be asked for at once.`,
    );
  return { start, end };
}

function checkLevel(slice: Slice): void {
  if (slice.pivots.length > 0 && !slice.totals && slice.keys.length === slice.groups.length)
    throw refused(
      'PIVOT_AT_LEAF',
      'slice.pivots',
      'Leaf rows cannot be pivoted: pivots need a group or totalsOnly.',
    );
  if ((slice.pivots.length > 0 || slice.totals) && !slice.cols.some(isAggregated))
    throw refused(
      'NO_AGGREGATE',
      'slice.cols',
      `${slice.totals ? 'totalsOnly needs' : 'Pivots need'} a column with an aggFunc.`,
    );
  if (slice.totals) return;
  const keys = rowKeys(slice);
  slice.cols.forEach(({ column, aggFunc }, index) => {
    if (aggFunc && !isLeaf(slice) && keys.includes(column))
      throw refused(
        'DUPLICATE_COLUMN',
        `slice.cols[${index}].colId`,
        `${column.name} is what these rows are grouped by, so it cannot be aggregated in them.`,
      );
  });
}

/**
 * The columns that identify a row: its group and the groups around it, and at a grouped leaf level also the columns of
 * the tuple.
 */
export function rowKeys(slice: Slice): Column[] {
  if (slice.totals) return [];
  const around = slice.groups.slice(0, slice.keys.length + 1);
  if (!slice.groupLeaves || slice.keys.length < slice.groups.length) return around;
  const tuple = slice.cols.filter((col) => !isAggregated(col)).map(({ column }) => column);
  return [...new Set([...around, ...tuple])];
}
