import * as fc from 'fast-check';
import type { NaiveColumn, NaiveReport } from './naive-columns';
import type { Sent } from './naive-criteria';

/** The parts of a slice before they are made consistent. Picks are taken modulo the number of choices. */
export interface Shape {
  groups: NaiveColumn[];
  pivots: NaiveColumn[];
  cols: Sent[];
  /** Number of group keys, at most the number of groups. */
  depth: number;
  totalsOnly: boolean;
  groupLeafLevel: boolean;
  filterZero: boolean;
  sort: { pick: number; any: boolean; desc?: boolean | null }[];
  range: { startRow?: number | null; endRow?: number | null };
}

/** Columns that belong to one dimension, by which most reports are read, and those of its day. */
const families: Record<NaiveReport['name'], { dimensions: string[][]; days: string[]; few: string[] }> = {
  work_item_listing: {
    dimensions: [
      ['employeeSortName', 'employeeId'],
      [
        'matterNumber',
        'matterId',
        'matterTitle',
        'clientSortName',
        'clientId',
        'divisionName',
        'divisionId',
        'matterTypeName',
      ],
      ['taskTypeName', 'taskTypeCode'],
    ],
    days: ['entryMonth', 'entryQuarter', 'entryYear', 'entryFinancialYear', 'entryDay'],
    few: ['state', 'itemType', 'entryYear', 'entryQuarter'],
  },
  fee_analysis: {
    dimensions: [
      ['feeEarnerSortName', 'feeEarnerId'],
      ['matterNumber', 'matterTitle', 'clientSortName', 'divisionName', 'matterTypeName'],
      ['taskTypeName'],
    ],
    days: ['month', 'quarter', 'year', 'financialYear', 'day'],
    few: ['year', 'quarter', 'financialYear'],
  },
};

const seldom = fc.constantFrom(...Array<boolean>(5).fill(false), true);
const atTimes = fc.constantFrom(false, false, true);
const desc = fc.constantFrom(true, false, null, undefined);
const none = fc.constant<NaiveColumn[]>([]);

/** Any slice. */
export function anyShape(report: NaiveReport, rows: number): fc.Arbitrary<Shape> {
  const columns = [...report.columns.values()];
  const { dimensions, days, few } = families[report.name];
  const usual = [...dimensions.flat(), ...days].map((name) => report.columns.get(name)!);
  return fc.record({
    groups: fc.oneof(
      { weight: 2, arbitrary: none },
      { weight: 6, arbitrary: pick(usual, 1, 3) },
      { weight: 2, arbitrary: pick(columns, 1, 3) },
    ),
    pivots: fc.oneof(
      { weight: 4, arbitrary: none },
      { weight: 2, arbitrary: pick(named(report, few), 1, 2) },
      { weight: 1, arbitrary: pick(columns, 1, 2) },
    ),
    cols: cols(report, columns),
    depth: fc.constantFrom(0, 0, 1, 1, 2, 3),
    totalsOnly: seldom,
    groupLeafLevel: fc.boolean(),
    filterZero: atTimes,
    sort: fc.array(fc.record({ pick: fc.nat(99), any: seldom, desc }), { maxLength: 3 }),
    range: near(rows),
  });
}

/** The usual slices: groups and totals by one dimension, or by people and matters together, over the whole firm. */
export function oneDimension(report: NaiveReport): fc.Arbitrary<Shape> {
  const { dimensions, days, few } = families[report.name];
  const [people, matters, tasks] = dimensions;
  const both = [...people, ...matters];
  return fc.constantFrom<string[]>(people, people, matters, tasks, both, []).chain((names) => {
    const own = named(report, names);
    const either = [...own, ...own, ...own, ...own, ...named(report, days)];
    return fc.record({
      groups: fc.oneof(
        { weight: 4, arbitrary: fc.constantFrom(...either).map((column) => [column]) },
        { weight: 1, arbitrary: pick([...new Set(either)], 1, 2) },
      ),
      pivots: fc.oneof(
        { weight: 2, arbitrary: none },
        { weight: 1, arbitrary: pick(named(report, [...few, ...names]), 1, 1) },
      ),
      cols: cols(report, named(report, [...names, ...days])),
      depth: fc.constant(0),
      totalsOnly: fc.constantFrom(false, false, true),
      groupLeafLevel: fc.constant(false),
      filterZero: atTimes,
      sort: fc.array(fc.record({ pick: fc.nat(99), any: fc.constant(false), desc }), { maxLength: 2 }),
      range: fc.oneof(fc.constant({}), near(9)),
    });
  });
}

/** Any page of all rows in the order of their days, as integrations read them. */
export function deepPage(report: NaiveReport, rows: number): fc.Arbitrary<Shape> {
  const columns = [...report.columns.values()];
  const day = report.name === 'fee_analysis' ? 'day' : 'entryDate';
  const first = report.columns.get(day)!;
  return fc.record({
    groups: none,
    pivots: none,
    depth: fc.constant(0),
    totalsOnly: fc.constant(false),
    cols: fc.tuple(col(first), cols(report, columns)).map(([one, others]) => [one, ...without(day, others)]),
    groupLeafLevel: fc.constant(false),
    filterZero: fc.constant(false),
    sort: desc.map((down) => [{ pick: 0, any: false, desc: down }]),
    range: fc
      .tuple(fc.nat(rows + 2), fc.integer({ min: 1, max: 30 }))
      .map(([startRow, length]) => ({ startRow, endRow: startRow + length })),
  });
}

const named = (report: NaiveReport, names: string[]) => names.map((name) => report.columns.get(name)!);
const without = (name: string, list: Sent[]) => list.filter(({ colId }) => colId !== name);

function pick(from: NaiveColumn[], minLength: number, maxLength: number) {
  return fc.shuffledSubarray(from, { minLength, maxLength: Math.min(maxLength, from.length) });
}

/** Some measures, mostly summed, and some other columns. */
function cols(report: NaiveReport, others: NaiveColumn[]): fc.Arbitrary<Sent[]> {
  const measures = [...report.columns.values()].filter(({ measure }) => measure);
  return fc
    .tuple(pick(measures, 0, 3), pick(others, 0, 3), fc.boolean())
    .chain(([some, more, first]) =>
      fc.tuple(...[...new Set(first ? [...some, ...more] : [...more, ...some])].map(col)),
    );
}

function col({ name: colId, measure, aggFuncs }: NaiveColumn): fc.Arbitrary<Sent> {
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

/** A page of any length, mostly near the first row, or all rows. */
function near(rows: number): fc.Arbitrary<Shape['range']> {
  const start = fc.oneof({ weight: 3, arbitrary: fc.nat(4) }, { weight: 1, arbitrary: fc.nat(rows + 5) });
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
