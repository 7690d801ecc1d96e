import type { NaiveColumn, NaiveReport } from './naive-columns';
import type { Fault, Sent } from './naive-criteria';
import { isDate } from './naive-periods';
import { exact, type NaiveValue } from './naive-values';

export interface NaiveCol {
  column: NaiveColumn;
  aggFunc?: string;
  /** Whether a group row computes the column from all its rows; always true for a ratio. */
  aggregated: boolean;
}

/** A slice as reporting.md interprets it. */
export interface NaiveSlice {
  level: 'leaf' | 'group' | 'totals';
  /** The level of the rows that totals add up; otherwise the level itself. */
  below: 'leaf' | 'group';
  cols: NaiveCol[];
  groups: NaiveColumn[];
  keys: NaiveValue[];
  /** The columns that identify a row at the level below totals. */
  tuple: NaiveColumn[];
  pivots: NaiveColumn[];
  sort: { colId: string; desc: boolean }[];
  start: number;
  end: number;
  zero: { field: string | null } | null;
}

const AGG_FUNCS = ['sum', 'avg', 'min', 'max', 'count', 'countDistinct'];

/** The slice, or all its faults, of which a service may report any. */
export function readNaiveSlice(report: NaiveReport, sent: Sent): NaiveSlice | Fault[] {
  const faults: Fault[] = [];
  const given = sent ?? {};
  const fail = (reason: string, path: string) => void faults.push({ reason, path });
  const list = (field: string): NaiveColumn[] => {
    const colIds = (given[field] ?? []).map(({ colId }: { colId: string }) => colId);
    return colIds.map((colId: string, index: number) => {
      const path = `slice.${field}[${index}].colId`;
      if (!report.columns.has(colId)) fail('UNKNOWN_COLUMN', path);
      if (colIds.indexOf(colId) < index) fail('DUPLICATE_COLUMN', path);
      return report.columns.get(colId)!;
    });
  };
  const groups = list('rowGroups');
  const pivots = list('pivots');
  const cols = list('cols').map((column, index): NaiveCol => {
    const aggFunc: string | undefined = given.cols[index].aggFunc ?? undefined;
    const path = `slice.cols[${index}].aggFunc`;
    if (aggFunc !== undefined && !AGG_FUNCS.includes(aggFunc)) fail('UNKNOWN_AGG', path);
    else if (aggFunc !== undefined && column && !column.aggFuncs.includes(aggFunc))
      fail('AGG_NOT_ALLOWED', path);
    return { column, aggFunc, aggregated: aggFunc !== undefined || column?.name in report.ratios };
  });
  const sentKeys: unknown[] = given.groupKeys ?? [];
  if (sentKeys.length > groups.length) fail('GROUP_KEYS_TOO_LONG', `slice.groupKeys[${groups.length}]`);
  const keys = sentKeys.slice(0, groups.length).map((key, index) => {
    const value = groups[index] && keyOf(groups[index], key);
    if (value === undefined) fail('GROUP_KEY_TYPE', `slice.groupKeys[${index}]`);
    return value ?? null;
  });
  const totals = given.totalsOnly === true;
  const start: number = given.startRow ?? 0;
  const end: number = given.endRow ?? start + 100;
  if (!totals) {
    if (start < 0) fail('RANGE_INVALID', 'slice.startRow');
    else if (end < start) fail('RANGE_INVALID', 'slice.endRow');
    else if (end - start > 10_000) fail('SLICE_TOO_LARGE', 'slice.endRow');
  }
  const deepest = sentKeys.length >= groups.length;
  const below = deepest && given.groupLeafLevel !== true ? 'leaf' : 'group';
  const aggregates = cols.filter(({ aggregated }) => aggregated);
  if (pivots.length > 0 && !totals && deepest) fail('PIVOT_AT_LEAF', 'slice.pivots');
  if ((pivots.length > 0 || totals) && aggregates.length === 0) fail('NO_AGGREGATE', 'slice.cols');
  const plain = deepest ? cols.filter(({ aggregated }) => !aggregated).map(({ column }) => column) : [];
  const tuple = [...new Set([...groups.slice(0, sentKeys.length + 1), ...plain])];
  if (!totals && below === 'group')
    cols.forEach(({ column, aggFunc }, index) => {
      if (aggFunc !== undefined && column && tuple.includes(column))
        fail('DUPLICATE_COLUMN', `slice.cols[${index}].colId`);
    });
  if (faults.length > 0) return faults;
  return {
    level: totals ? 'totals' : below,
    below,
    cols,
    groups,
    keys,
    tuple,
    pivots,
    sort: (given.sortBy ?? []).map(({ colId, desc }: Sent) => ({ colId, desc: desc === true })),
    start: totals ? 0 : start,
    end: totals ? 1 : end,
    zero: given.filterZero === true ? { field: given.filterZeroField ?? null } : null,
  };
}

const forms: Record<NaiveColumn['type'], (text: string) => NaiveValue | undefined> = {
  text: (text) => (text.includes('\0') ? undefined : text),
  name: (text) => (text.includes('\0') ? undefined : text),
  id: (text) => (/^[0-9a-f]{32}$/.test(text) ? text : undefined),
  boolean: (text) => ({ true: true, false: false })[text],
  integer: (text) => (/^-?\d{1,18}$/.test(text) ? exact(text) : undefined),
  decimal: (text) => (/^-?\d+(\.\d+)?(e[+-]?\d+)?$/i.test(text) ? exact(text) : undefined),
  day: (text) => (isDate(text) ? text : undefined),
  instant: (text) =>
    /^\d{4}-\d\d-\d\dT\d\d:\d\d/.test(text) && isDate(text.slice(0, 10)) && !Number.isNaN(Date.parse(text))
      ? new Date(text).toISOString().replace('Z', '+00:00')
      : undefined,
};

/** A group key as a value of the column; undefined if it is not one. */
function keyOf({ type, choices }: NaiveColumn, key: unknown): NaiveValue | undefined {
  if (key === null) return null;
  if (choices && !choices.includes(String(key))) return undefined;
  return forms[type](String(key));
}
