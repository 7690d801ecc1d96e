import type { Column } from './columns/column';
import type { Report } from './columns/report';
import { type Expression, type Field, isNumber } from './expression';
import { type PivotField, pivotedCol } from './pivots';
import { refused } from './refusal';
import { type Col, findColumn, isAggregated, isLeaf, rowKeys, type Slice } from './slice/slice';
import type { Over } from './sources/source';

/** The rows to read, in terms of the report. The SQL layer decides where and how to read them. */
export interface Plan extends Over {
  level: 'leaf' | 'group' | 'totals';
  /** The columns that identify a group row. */
  keys: Column[];
  fields: Field[];
  order: { expression: Expression; desc: boolean; path: string }[];
  /** Rows that sort equally are ordered in the direction of the last sort column. */
  tiesDesc: boolean;
  ignoredSort: string[];
  start: number;
  end: number;
  zero?: ZeroFilter & { mixesCurrencies: boolean };
  /** The path of the part of the request that could add up amounts of several currencies. */
  mixesCurrencies?: string;
  /** The plan is right only if all rows are of one currency. */
  needsOneCurrency?: boolean;
}

/** Rows grouped by the keys (leaf rows without keys) are kept only if one of the measures is neither 0 nor null. */
interface ZeroFilter {
  keys?: Column[];
  measures: Expression[];
}

/** Plans the rows of a slice: level, keys, fields, order and filters. */
export function planRows(over: Over, slice: Slice, pivotFields: PivotField[]): Plan {
  const { report } = over;
  const level: Plan['level'] = slice.totals ? 'totals' : isLeaf(slice) ? 'leaf' : 'group';
  const keys = level === 'leaf' ? [] : rowKeys(slice);
  const fields = planFields(slice, level, keys, pivotFields);
  const zero = slice.zero && planZero(report, slice, slice.zero.field, pivotFields);
  const plan = {
    ...over,
    level,
    keys,
    fields,
    ...planOrder(report, slice, level, keys, fields),
    start: slice.start,
    end: slice.end,
    zero: zero && { ...zero, mixesCurrencies: mixes(slice, zero.keys ?? [], zero.measures) },
  };
  return { ...plan, mixesCurrencies: mixesCurrencies(slice, plan) };
}

/**
 * The plan for a tenant whose rows are all of one currency: currencies are not told apart. The same plan where that
 * gains nothing, or where deleted rows count, of whose currencies no sums are kept.
 */
export function planOfOneCurrency(plan: Plan): Plan {
  const { report, conditions, mixesCurrencies, zero } = plan;
  const isKept = !report.derived.facts || conditions.some(({ isCounted }) => isCounted);
  if (!mixesCurrencies || !isKept) return plan;
  return {
    ...plan,
    mixesCurrencies: undefined,
    zero: zero && { ...zero, mixesCurrencies: false },
    needsOneCurrency: true,
  };
}

function planFields(slice: Slice, level: Plan['level'], keys: Column[], pivotFields: PivotField[]): Field[] {
  const fields: Field[] = [];
  const add = (expression: Expression) => fields.push({ name: expression.column.name, expression });
  for (const col of slice.cols) {
    const { column } = col;
    if (level === 'leaf' || keys.includes(column)) add({ kind: 'value', column });
    else if (!isAggregated(col)) {
      if (level === 'group') add({ kind: 'shared', column });
    } else if (slice.pivots.length === 0) add(aggregate(col));
  }
  const named = level === 'leaf' ? slice.groups : keys;
  for (const column of named)
    if (!slice.cols.some((col) => col.column === column)) add({ kind: 'value', column });
  return [...fields, ...pivotFields];
}

function planOrder(report: Report, slice: Slice, level: Plan['level'], keys: Column[], fields: Field[]) {
  const order: Plan['order'] = [];
  const ignoredSort: string[] = [];
  // By column: whether it sorts the rows.
  const sorts = new Map<string, boolean>();
  let tiesDesc = false;
  for (const { colId, desc, path } of slice.sort) {
    // A second sort by the same column cannot change the order.
    if (!sorts.has(colId)) {
      const expression = sortExpression(colId, path);
      sorts.set(colId, expression !== undefined);
      if (expression) order.push({ expression, desc, path });
      else ignoredSort.push(colId);
    }
    if (sorts.get(colId)) tiesDesc = desc;
  }
  return { order, tiesDesc, ignoredSort };

  function sortExpression(colId: string, path: string): Expression | undefined {
    const pivoted = fields.find(({ name, expression }) => name === colId && 'pivot' in expression);
    if (pivoted) return pivoted.expression;
    // Not an error: a grid keeps its order while its criteria, and with them the pivot fields, change.
    if (pivotedCol(slice, colId)) return undefined;
    const column = findColumn(report, colId, path);
    if (level === 'leaf' || keys.includes(column)) return { kind: 'value', column };
    const col = slice.cols.find((each) => each.column === column);
    return col && isAggregated(col) ? aggregate(col) : undefined;
  }
}

function planZero(
  report: Report,
  slice: Slice,
  name: string | null,
  pivotFields: PivotField[],
): ZeroFilter | undefined {
  const rows = { ...slice, totals: false };
  const keys = isLeaf(rows) ? undefined : rowKeys(rows);
  if (name === null) {
    const measures = keys
      ? aggregates(slice, keys, pivotFields).filter(isAmount)
      : slice.cols
          .filter(({ column }) => column.measure)
          .map(({ column }): Expression => ({ kind: 'value', column }));
    return measures.length > 0 ? { keys, measures } : undefined;
  }
  const path = 'slice.filterZeroField';
  const pivoted = keys && pivotFields.find((field) => field.name === name)?.expression;
  const unmade = keys && !pivoted ? pivotedCol(slice, name) : undefined;
  // A pivot field that the current criteria do not create is null in every row.
  if (unmade && isNumber(aggregate(unmade))) return { keys, measures: [] };
  if (pivoted && isNumber(pivoted)) return { keys, measures: [pivoted] };
  const column = pivoted || unmade ? undefined : findColumn(report, name, path);
  const measure = keys
    ? aggregatedIn(slice, keys)
        .filter((col) => col.column === column)
        .map(aggregate)
        .find(isNumber)
    : column?.measure && ({ kind: 'value', column } as const);
  if (!measure)
    throw refused(
      'NO_AGGREGATE',
      path,
      `${name} is no ${keys ? 'number aggregated in' : 'measure of'} these rows.`,
    );
  return { keys, measures: [measure] };
}

function aggregate({ column, aggFunc }: Col): Expression {
  return { kind: 'aggregate', column, aggFunc };
}

/**
 * The aggregates that a group row shows. With pivots these are the pivot fields; amounts may cancel each other out
 * across them.
 */
function aggregates(slice: Slice, keys: Column[], pivotFields: PivotField[]): Expression[] {
  if (slice.pivots.length > 0) return pivotFields.map(({ expression }) => expression);
  return aggregatedIn(slice, keys).map(aggregate);
}

/**
 * The aggregated columns of the rows. A column without an aggFunc that rows are grouped by is a plain value in them.
 */
function aggregatedIn({ cols }: Slice, keys: Column[]): Col[] {
  return cols.filter((col) => isAggregated(col) && (col.aggFunc || !keys.includes(col.column)));
}

/** Whether an expression aggregates the amounts of a measure. A count says nothing about amounts. */
function isAmount(expression: Expression): boolean {
  const aggFunc = expression.kind === 'aggregate' ? expression.aggFunc : undefined;
  return !!expression.column.measure && aggFunc !== 'count' && aggFunc !== 'countDistinct';
}

/** Finds the part of the request that adds up amounts of several currencies. */
function mixesCurrencies(
  slice: Slice,
  { level, keys, fields, order, zero }: Omit<Plan, 'mixesCurrencies'>,
): string | undefined {
  const ofFields = fields.map(({ expression }) => expression);
  if (mixes(slice, keys, ofFields)) return 'slice.cols';
  const sorted = level === 'group' && order.find(({ expression }) => mixes(slice, keys, [expression]));
  if (sorted) return sorted.path;
  return zero?.mixesCurrencies ? 'slice.filterZeroField' : undefined;
}

/** Whether one of the expressions, over rows grouped by the keys, could add up amounts of several currencies. */
function mixes(slice: Slice, keys: Column[], expressions: Expression[]): boolean {
  const isApart = hasCurrency([...keys, ...slice.keys.map(({ column }) => column)]);
  return !isApart && expressions.some(addsMoney);
}

/** A field of a pivot by currency has one currency, but a sort key or a zero filter need not be such a field. */
function addsMoney(expression: Expression): boolean {
  if (expression.kind !== 'aggregate' || !expression.column.measure?.perCurrency) return false;
  const { aggFunc, pivot } = expression;
  const isSum = aggFunc === undefined || aggFunc === 'sum' || aggFunc === 'avg';
  return isSum && !hasCurrency((pivot?.values ?? []).map(({ column }) => column));
}

function hasCurrency(columns: readonly Column[]): boolean {
  return columns.some(({ name }) => name === 'currency');
}
