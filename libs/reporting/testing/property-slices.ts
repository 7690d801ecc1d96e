import * as fc from 'fast-check';
import type { NaiveColumn, NaiveReport } from './naive-columns';
import type { Sent } from './naive-criteria';
import { columnValue, type NaiveRow, shown } from './naive-values';

/** Columns of one dimension each, by which reports are read most. */
const dimensions: Record<NaiveReport['name'], string[]> = {
  work_item_listing: [
    ...['employeeSortName', 'employeeSortName', 'employeeId', 'matterNumber', 'matterId', 'matterTitle'],
    ...['clientSortName', 'clientId', 'divisionName', 'matterTypeName', 'taskTypeName', 'taskTypeCode'],
    ...['entryMonth', 'entryQuarter', 'entryYear', 'entryFinancialYear', 'entryDay', 'state', 'itemType'],
  ],
  fee_analysis: [
    ...['feeEarnerSortName', 'feeEarnerSortName', 'feeEarnerId', 'matterNumber', 'matterTitle'],
    ...['clientSortName', 'divisionName', 'matterTypeName', 'taskTypeName'],
    ...['month', 'quarter', 'year', 'financialYear', 'day'],
  ],
};
const few: Record<NaiveReport['name'], string[]> = {
  work_item_listing: [
    'state',
    'itemType',
    'state',
    'entryYear',
    'entryQuarter',
    'taskTypeName',
    'isBillable',
  ],
  fee_analysis: ['year', 'quarter', 'currency', 'feeEarnerSortName', 'taskTypeName'],
};

const nullish = fc.constantFrom(null, undefined);
const seldom = fc.constantFrom(...Array<boolean>(5).fill(false), true);
const flag = fc.constantFrom(false, null, undefined);

/** A column with what it is asked for as; most measures are summed. */
function col(column: NaiveColumn): fc.Arbitrary<Sent> {
  const { name: colId, measure, aggFuncs } = column;
  const any = fc.constantFrom(...aggFuncs);
  const plainly = fc.constantFrom<string | null | undefined>(null, undefined);
  const aggFunc = measure
    ? fc.oneof(
        { weight: 5, arbitrary: fc.constant(aggFuncs.includes('sum') ? 'sum' : 'avg') },
        { weight: 4, arbitrary: any },
        { weight: 2, arbitrary: plainly },
      )
    : fc.oneof({ weight: 2, arbitrary: any }, { weight: 5, arbitrary: plainly });
  return aggFunc.map((given) => ({ colId, aggFunc: given }));
}

/** Slices that a report answers, but for what only its rows can tell. @param rows whose values are group keys */
export function someSlice(report: NaiveReport, rows: readonly NaiveRow[]): fc.Arbitrary<Sent> {
  const columns = [...report.columns.values()];
  const named = (name: string) => report.columns.get(name)!;
  const measures = columns.filter(({ measure }) => measure);
  const pick = (from: NaiveColumn[], maxLength: number) => fc.shuffledSubarray(from, { maxLength });
  const groups = fc.oneof(
    { weight: 3, arbitrary: fc.constant<NaiveColumn[]>([]) },
    { weight: 6, arbitrary: fc.constantFrom(...dimensions[report.name]).map((name) => [named(name)]) },
    { weight: 4, arbitrary: pick([...new Set(dimensions[report.name])].map(named), 3) },
    { weight: 1, arbitrary: pick(columns, 3) },
  );
  const pivots = fc.oneof(
    { weight: 5, arbitrary: fc.constant<NaiveColumn[]>([]) },
    { weight: 3, arbitrary: fc.constantFrom(...few[report.name]).map((name) => [named(name)]) },
    { weight: 1, arbitrary: pick([...new Set(few[report.name])].map(named), 2) },
    { weight: 1, arbitrary: pick(columns, 2) },
  );
  const cols = fc.tuple(pick(measures, 3), pick(columns, 3), fc.boolean()).chain(([some, others, first]) => {
    const all = [...new Set(first ? [...some, ...others] : [...others, ...some])];
    return fc.tuple(...all.map(col));
  });
  const draws = fc.record({
    ...{ groups, pivots, cols },
    depth: fc.oneof({ weight: 2, arbitrary: fc.constant(0) }, { weight: 1, arbitrary: fc.nat(3) }),
    keyRows: fc.array(fc.nat(rows.length - 1), { minLength: 3, maxLength: 3 }),
    oneRow: fc.constantFrom(true, true, true, false),
    keysAs: fc.constantFrom('shown', 'shown', 'shown', 'text', 'null'),
    ...{ totalsOnly: seldom, groupLeafLevel: seldom, filterZero: seldom, off: flag },
    zeroPick: fc.option(fc.nat(99)),
    sort: fc.array(
      fc.record({ pick: fc.nat(99), any: seldom, desc: fc.constantFrom(true, false, null, undefined) }),
      {
        maxLength: 3,
      },
    ),
    range: someRange(rows.length),
    empty: nullish,
  });
  return draws.map((draw) => {
    const { groups: by, keyRows, off } = draw;
    const depth = Math.min(draw.depth, by.length);
    const groupKeys = by.slice(0, depth).map((column, index) => {
      const value = shown(columnValue(column, rows[keyRows[draw.oneRow ? 0 : index]][column.name]));
      if (draw.keysAs === 'null') return index === 0 ? null : value;
      return draw.keysAs === 'text' && value !== null ? String(value) : value;
    });
    const deepest = depth === by.length;
    const pivoted = deepest && !draw.totalsOnly ? [] : draw.pivots;
    const here = [...by.slice(0, depth + 1)];
    let asked: Sent[] = draw.cols.map((one: Sent) =>
      !draw.totalsOnly && (!deepest || draw.groupLeafLevel) && here.includes(named(one.colId))
        ? { ...one, aggFunc: draw.empty }
        : one,
    );
    const isAggregated = ({ colId, aggFunc }: Sent) => aggFunc || colId in report.ratios;
    if ((draw.totalsOnly || pivoted.length > 0) && !asked.some(isAggregated)) {
      const plain = measures.find((column) => !here.includes(column) && column.aggFuncs.includes('sum'))!;
      asked = [...asked.filter(({ colId }) => colId !== plain.name), { colId: plain.name, aggFunc: 'sum' }];
    }
    const aggregated = asked.filter(isAggregated);
    const fields =
      pivoted.length > 0 ? aggregated.map(({ colId }) => pivotField(pivoted, rows[keyRows[1]], colId)) : [];
    const sortable = [...asked, ...by.map(({ name }) => ({ colId: name }))].map(({ colId }) => colId);
    const zeroable =
      deepest && !draw.groupLeafLevel
        ? measures.map(({ name }) => name)
        : [
            ...aggregated
              .filter(({ colId, aggFunc }) => named(colId).measure || aggFunc.startsWith('count'))
              .map(({ colId }) => colId),
            ...fields,
          ];
    const zeroField =
      draw.zeroPick === null || zeroable.length === 0
        ? draw.empty
        : zeroable[draw.zeroPick % zeroable.length];
    const sortBy = draw.sort.map(({ pick: index, any, desc }) => {
      const from = any ? columns.map(({ name }) => name) : [...sortable, ...fields, ...sortable];
      return { colId: from.length === 0 ? columns[0].name : from[index % from.length], desc };
    });
    const colIds = (list: NaiveColumn[]) =>
      list.length === 0 ? draw.empty : list.map(({ name }) => ({ colId: name }));
    return {
      ...{ cols: asked, rowGroups: colIds(by), pivots: colIds(pivoted), sortBy },
      groupKeys: depth === 0 ? draw.empty : groupKeys,
      ...{ totalsOnly: draw.totalsOnly || off, groupLeafLevel: draw.groupLeafLevel || off },
      ...{ filterZero: draw.filterZero || off, filterZeroField: draw.filterZero ? zeroField : draw.empty },
      ...draw.range,
    };
  });
}

/** How the field of a row's cell is called. */
function pivotField(pivots: NaiveColumn[], row: NaiveRow, colId: string): string {
  const values = pivots.map((column) => shown(columnValue(column, row[column.name])) ?? '(Blank)');
  return [...values, colId].join('_');
}

/** A page, near or deep, of any length; all rows. */
function someRange(count: number): fc.Arbitrary<{ startRow?: number | null; endRow?: number | null }> {
  const start = fc.oneof(fc.nat(10), fc.nat(count + 5));
  return fc.oneof(
    { weight: 4, arbitrary: fc.constantFrom({}, { startRow: null, endRow: null }) },
    {
      weight: 3,
      arbitrary: fc.constantFrom({ startRow: 0, endRow: 10_000 }, { endRow: 1 }, { startRow: 3 }),
    },
    {
      weight: 6,
      arbitrary: fc
        .tuple(start, fc.nat(40))
        .map(([from, length]) => ({ startRow: from, endRow: from + length })),
    },
  );
}
