import { v7 } from 'uuid';
import { busy } from '#platform/database/tenant-shares';
import { ReportStatements } from './report-statements';
import { SourceChoice } from './sources/source-choice';
import { TenantCalendars } from './tenant-calendar';
import { Firm } from './testing/firm';
import { cols, columns, ReportsApplication } from './testing/reports-application';

let reports: ReportsApplication;

beforeAll(async () => {
  reports = await ReportsApplication.start({ one: 1 });
  const firm = await new Firm(reports.pool, 1).open();
  const employee_id = await firm.employee('E');
  for (const currency of ['GBP', 'EUR']) {
    for (let minute = 10; minute < 40; minute++)
      await firm.workItem({ employee_id, entry_date: `2025-01-01T10:${minute}:00Z`, total: 5, currency });
  }
  const cancelled = { employee_id, matter_id: v7(), day: '2025-01-01' };
  await firm.fact({ ...cancelled, currency: 'GBP', billed: 100, finalised_units: 1 });
  await firm.fact({ ...cancelled, currency: 'EUR', billed: -100, finalised_units: -1 });
});

afterAll(() => reports.stop());

const groups = columns('employeeSortName');
const byCurrency = { rowGroups: groups, pivots: columns('currency'), cols: cols('total:sum') };

it.each<[reason: string, path: string, slice: object]>([
  ['UNKNOWN_COLUMN', 'slice.cols[1].colId', { cols: cols('units', 'unit') }],
  ['UNKNOWN_COLUMN', 'slice.cols[0].colId', { cols: cols('__proto__') }],
  ['UNKNOWN_COLUMN', 'slice.sortBy[0].colId', { sortBy: columns('w.id; drop table x') }],
  ['UNKNOWN_COLUMN', 'slice.rowGroups[0].colId', { rowGroups: columns('nobody') }],
  ['UNKNOWN_COLUMN', 'slice.pivots[0].colId', { pivots: columns('nobody') }],
  [
    'UNKNOWN_COLUMN',
    'slice.filterZeroField',
    { cols: cols('units'), filterZero: true, filterZeroField: 'nobody' },
  ],
  ['DUPLICATE_COLUMN', 'slice.cols[1].colId', { cols: cols('units', 'units:sum') }],
  ['DUPLICATE_COLUMN', 'slice.cols[0].colId', { cols: cols('units:sum'), rowGroups: columns('units') }],
  ['UNKNOWN_AGG', 'slice.cols[0].aggFunc', { cols: cols('units:median') }],
  ['AGG_NOT_ALLOWED', 'slice.cols[0].aggFunc', { cols: cols('rate:sum') }],
  ['AGG_NOT_ALLOWED', 'slice.cols[0].aggFunc', { cols: cols('title:min') }],
  ['AGG_NOT_ALLOWED', 'slice.cols[0].aggFunc', { cols: cols('units:countDistinct') }],
  ['RANGE_INVALID', 'slice.startRow', { startRow: -1 }],
  ['RANGE_INVALID', 'slice.endRow', { startRow: 5, endRow: 4 }],
  ['SLICE_TOO_LARGE', 'slice.endRow', { endRow: 10_001 }],
  ['GROUP_KEYS_TOO_LONG', 'slice.groupKeys[1]', { rowGroups: groups, groupKeys: ['a', 'b'] }],
  ['GROUP_KEY_TYPE', 'slice.groupKeys[0]', { rowGroups: columns('entryYear'), groupKeys: ['soon'] }],
  ['GROUP_KEY_TYPE', 'slice.groupKeys[0]', { rowGroups: columns('employeeId'), groupKeys: ['employee_1'] }],
  ['GROUP_KEY_TYPE', 'slice.groupKeys[0]', { rowGroups: columns('entryDay'), groupKeys: ['2025-02-30'] }],
  ['GROUP_KEY_TYPE', 'slice.groupKeys[0]', { rowGroups: columns('state'), groupKeys: ['Lost'] }],
  ['PIVOT_AT_LEAF', 'slice.pivots', { pivots: columns('state'), cols: cols('units:sum') }],
  ['NO_AGGREGATE', 'slice.cols', { totalsOnly: true, cols: cols('units') }],
  ['NO_AGGREGATE', 'slice.cols', { rowGroups: groups, pivots: columns('state'), cols: cols('units') }],
  [
    'NO_AGGREGATE',
    'slice.filterZeroField',
    { rowGroups: groups, cols: cols('units'), filterZero: true, filterZeroField: 'units' },
  ],
  [
    'NO_AGGREGATE',
    'slice.filterZeroField',
    {
      rowGroups: groups,
      pivots: columns('state'),
      cols: cols('entryDay:min', 'units:sum'),
      filterZero: true,
      filterZeroField: 'Finalised_entryDay',
    },
  ],
  [
    'PIVOT_TOO_WIDE',
    'slice.pivots',
    {
      rowGroups: groups,
      pivots: columns('id'),
      cols: cols(
        'units:sum',
        'totalBase:sum',
        'unitDuration:sum',
        'durationTicks:sum',
        'title:count',
        'state:count',
        'itemType:count',
        'currency:count',
        'entryDay:count',
      ),
    },
  ],
  ['MIXED_CURRENCY', 'slice.cols', { rowGroups: groups, cols: cols('total:sum') }],
  ['MIXED_CURRENCY', 'slice.cols', { totalsOnly: true, cols: cols('rate:avg') }],
  ['MIXED_CURRENCY', 'slice.sortBy[1].colId', { ...byCurrency, sortBy: columns('EUR_total', 'total') }],
  ['MIXED_CURRENCY', 'slice.filterZeroField', { ...byCurrency, filterZero: true, filterZeroField: 'total' }],
])('a slice is refused: %s at %s', async (reason, path, slice) => {
  expect(await reports.refusal('work_item_listing', slice)).toMatchObject({
    status: 400,
    code: 'BAD_USER_INPUT',
    reason,
    path,
  });
});

describe('amounts of several currencies that add up to 0', () => {
  const filtered = { rowGroups: columns('month'), filterZero: true };

  it.each<[path: string, slice: object]>([
    ['slice.cols', { cols: cols('workItemBilled:sum') }],
    ['slice.cols', { cols: cols('workItemBilled:sum'), filterZeroField: 'workItemBilled' }],
    ['slice.cols', { cols: cols('workItemBilled:sum', 'workItemBilledUnits:sum'), totalsOnly: true }],
    [
      'slice.filterZeroField',
      { cols: cols('workItemBilled:sum'), pivots: columns('currency'), filterZeroField: 'workItemBilled' },
    ],
  ])('are refused like others, not left out: %s, %j', async (path, slice) => {
    expect(await reports.refusal('fee_analysis', { ...filtered, ...slice })).toMatchObject({
      reason: 'MIXED_CURRENCY',
      path,
    });
  });

  it.each<[slice: object]>([
    [
      {
        cols: cols('workItemBilled:sum', 'workItemFinalisedUnits:sum'),
        filterZeroField: 'workItemFinalisedUnits',
      },
    ],
    [
      {
        cols: cols('workItemBilled:min', 'workItemFinalisedUnits:sum'),
        filterZeroField: 'workItemFinalisedUnits',
      },
    ],
  ])('are left out where units decide: %j', async (slice) => {
    expect((await reports.rows('fee_analysis', { ...filtered, ...slice })).rows).toEqual([]);
  });
});

describe.each(['\0', 'a\ud800'])('a text that cannot be stored, %j,', (text) => {
  it.each<[reason: string, path: string, slice: object, criteria: object | null]>([
    ['UNKNOWN_COLUMN', 'slice.cols[0].colId', { cols: columns(text) }, null],
    ['UNKNOWN_AGG', 'slice.cols[0].aggFunc', { cols: [{ colId: 'units', aggFunc: text }] }, null],
    ['GROUP_KEY_TYPE', 'slice.groupKeys[0]', { rowGroups: columns('title'), groupKeys: [text] }, null],
    [
      'PERIOD_INVALID',
      'criteria.entryPeriod.fixedPeriod.min',
      {},
      { entryPeriod: { fixedPeriod: { min: text } } },
    ],
    ['UNKNOWN_PERIOD', 'criteria.entryPeriod.relativePeriod', {}, { entryPeriod: { relativePeriod: text } }],
    ['UNKNOWN_STATE', 'criteria.states[0]', {}, { states: [text] }],
    ['ID_INVALID', 'criteria.matterIds[0]', {}, { matterIds: [text] }],
  ])('is refused like any other wrong text: %s at %s', async (reason, path, slice, criteria) => {
    expect(await reports.refusal('work_item_listing', slice, criteria)).toMatchObject({
      status: 400,
      code: 'BAD_USER_INPUT',
      reason,
      path,
    });
  });
});

it('a refusal repeats only a little of a long text', async () => {
  const { message, path } = await reports.refusal('fee_analysis', { startRow: ' at "x.y"; '.repeat(1_000) });
  expect(message.length).toBeLessThan(400);
  expect(path).toMatch(/^slice\./);
});

it.each([
  [
    'fields of pivots',
    { rowGroups: columns('entryDate'), pivots: columns('state'), cols: cols('units:sum') },
  ],
  ['columns', { cols: cols('id', 'isDeleted') }],
])(
  'rows that are too long together with their %s are refused: SLICE_TOO_LARGE at slice.endRow',
  async (_, slice) => {
    const choice = reports.app.get(SourceChoice);
    const { mostBytes } = choice;
    const five = { ...slice, endRow: 5 };
    const { rows } = await reports.rows('work_item_listing', five);
    choice.mostBytes = rows.reduce((sum: number, row: object) => sum + JSON.stringify(row).length, 0);
    const refusal = await reports.refusal('work_item_listing', { ...slice, endRow: 99 });
    const again = await reports.rows('work_item_listing', five);
    choice.mostBytes = mostBytes;
    expect(refusal).toMatchObject({ status: 400, reason: 'SLICE_TOO_LARGE', path: 'slice.endRow' });
    expect(refusal.message).toContain('at most 5 can be requested');
    expect(again.rows).toEqual(rows);
  },
);

it('the refusal of an unknown column lists the existing ones', async () => {
  const { message } = await reports.refusal('fee_analysis', { cols: cols('nobody') });
  expect(message).toContain('feeEarnerSortName, feeEarnerId, workItemFinalised');
});

it('amounts that are kept apart by currency are added up, in pivot cells too', async () => {
  for (const pivoted of [
    byCurrency,
    { ...byCurrency, sortBy: columns('EUR_total'), filterZero: true, filterZeroField: 'GBP_total' },
  ]) {
    const { rows } = await reports.rows('work_item_listing', pivoted);
    expect(rows).toEqual([{ employeeSortName: 'E', EUR_total: 150, GBP_total: 150 }]);
  }
  const totals = await reports.rows('work_item_listing', {
    ...byCurrency,
    totalsOnly: true,
    sortBy: columns('total'),
  });
  expect(totals.rows).toEqual([{ EUR_total: 150, GBP_total: 150 }]);

  const expected = [
    { currency: 'EUR', total: 150 },
    { currency: 'GBP', total: 150 },
  ];
  const grouped = await reports.rows('work_item_listing', {
    rowGroups: columns('currency'),
    cols: cols('currency', 'total:sum'),
  });
  expect(grouped.rows).toEqual(expected);
  const inside = await reports.rows('work_item_listing', {
    rowGroups: columns('currency', 'employeeSortName'),
    groupKeys: ['EUR'],
    cols: cols('total:sum'),
  });
  expect(inside.rows).toEqual([{ currency: 'EUR', employeeSortName: 'E', total: 150 }]);
});

it('the answer to an unexpected failure does not show its error', async () => {
  await reports.pool.query('alter table read_model.fee_analysis rename to gone');
  const { status, body } = await reports.post('fee_analysis', { cols: cols('day') });
  await reports.pool.query('alter table read_model.gone rename to fee_analysis');
  expect(status).toBe(500);
  expect(JSON.stringify(body)).not.toMatch(/relation|read_model|gone/);
});

it('a report that gets no turn asks nothing more of the database', async () => {
  await reports.rows('work_item_listing', { cols: cols('units') });
  const statements = jest.spyOn(reports.app.get(ReportStatements), 'rows');
  const calendars = jest.spyOn(reports.app.get(TenantCalendars), 'of');
  statements.mockRejectedValueOnce(busy('reports_busy', 'Ask again.'));
  expect(await reports.refusal('work_item_listing', { cols: cols('units') })).toMatchObject({
    status: 503,
    reason: 'reports_busy',
  });
  expect(calendars).not.toHaveBeenCalled();
  jest.restoreAllMocks();
});
