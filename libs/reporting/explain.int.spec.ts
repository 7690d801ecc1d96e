import { Firm, workedExamples } from './testing/firm';
import { cols, columns, ReportsApplication } from './testing/reports-application';

let reports: ReportsApplication;
let employee: string;

beforeAll(async () => {
  reports = await ReportsApplication.start({ one: 1 });
  const { employees } = await workedExamples(await new Firm(reports.pool, 1).open());
  employee = `employee_${employees.get('Ash')!.replaceAll('-', '')}`;
});

afterAll(() => reports.stop());

const byEmployee = { rowGroups: columns('employeeSortName'), cols: cols('units:sum') };
const year = { entryPeriod: { fixedPeriod: { min: '2025-01-01', max: '2025-12-31' } } };
const ofOne = { ...byEmployee, rowGroups: columns('employeeSortName', 'matterNumber') };
const pairs = { groupLeafLevel: true, cols: cols('employeeSortName', 'matterNumber', 'units:sum') };
const ragged = { entryPeriod: { fixedPeriod: { min: '2024-11-05', max: '2026-02-03' } } };

it.each<[plan: string, slice: object, criteria: object | null]>([
  ['listing', { cols: cols('id') }, null],
  ['rollup employee: year', byEmployee, null],
  ['rollup employee: year', byEmployee, year],
  ['rollup employee: day, month, year', byEmployee, ragged],
  [
    'rollup employee: month',
    { ...byEmployee, rowGroups: columns('entryQuarter', 'employeeSortName'), groupKeys: ['2025-Q1'] },
    year,
  ],
  ['rollup employee: year', { ...byEmployee, pivots: columns('state') }, { ...year, states: ['Billed'] }],
  [
    'rollup matter: year',
    { rowGroups: columns('clientSortName'), cols: cols('id:count', 'total:avg') },
    null,
  ],
  ['rollup matter: month', { rowGroups: columns('state'), cols: cols('units:sum') }, { noMatter: true }],
  ['rollup taskType: year', { rowGroups: columns('taskTypeName'), cols: cols('units:sum') }, null],
  ['rollup all: day', { rowGroups: columns('entryDay'), cols: cols('units:sum') }, null],
  ['rollup all: year', { totalsOnly: true, cols: cols('units:sum') }, null],
  ['rollup employeeMatter: year', { ...ofOne, groupKeys: ['Ash'] }, null],
  ['rollup employeeMatter: day, year', { ...ofOne, groupKeys: ['Ash'] }, ragged],
  [
    'rollup employeeMatter: year',
    { ...pairs, cols: cols('clientSortName', 'employeeId', 'total:sum') },
    year,
  ],
  [
    'rollup employeeMatter: year',
    { ...ofOne, rowGroups: columns('employeeSortName', 'entryYear', 'matterId'), groupKeys: ['Ash', 2025] },
    null,
  ],
  [
    'facts',
    {
      ...ofOne,
      rowGroups: columns('employeeSortName', 'entryMonth', 'matterId'),
      groupKeys: ['Ash', '2025-01'],
    },
    null,
  ],
  ['facts', { ...ofOne, pivots: columns('state'), groupKeys: ['Ash'] }, null],
  ['facts', pairs, { entryPeriod: { fixedPeriod: { min: '2025-02-01', max: '2025-12-31' } } }],
  ['facts', { ...byEmployee, rowGroups: columns('matterNumber', 'employeeId'), groupKeys: ['M1'] }, null],
  ['facts', byEmployee, { ...year, entryPeriod: { fixedPeriod: { min: '2025-01-02', max: '2025-01-20' } } }],
  ['rollup employeeMatter: year', byEmployee, { divisionIds: [`division_${'0'.repeat(32)}`] }],
  ['facts', byEmployee, { includeDeleted: true }],
  ['facts', { ...byEmployee, cols: cols('units:max') }, null],
  ['facts', { ...byEmployee, cols: cols('units:sum', 'isBillable:countDistinct') }, null],
  ['facts', { ...byEmployee, rowGroups: columns('employeeSortName', 'entryDay'), groupKeys: ['Ash'] }, null],
  ['listing', { ...byEmployee, cols: cols('units:sum', 'rate:max') }, null],
  ['listing', { ...byEmployee, cols: cols('units:sum', 'title:count') }, null],
])('a report is read from %s (case %#)', async (plan, slice, criteria) => {
  const { report } = await reports.rows('work_item_listing', slice, criteria, 'one', { 'x-explain': '1' });
  expect(report.plan).toBe(plan);
});

it('a report of one employee is read from a rollup, and so is fee analysis', async () => {
  const explained = { 'x-explain': '1' };
  const own = { employeeIds: [employee] };
  expect((await reports.rows('work_item_listing', byEmployee, own, 'one', explained)).report.plan).toBe(
    'rollup employee: year',
  );
  const fees = {
    rowGroups: columns('feeEarnerSortName'),
    cols: cols('workItemBilled:sum', 'realisationRate'),
  };
  const financialYear = { relativePeriod: 'THIS_FINANCIAL_YEAR' };
  expect((await reports.rows('fee_analysis', fees, financialYear, 'one', explained)).report.plan).toBe(
    'rollup employee: month',
  );
});

it('the plan is not told unless it is asked for', async () => {
  expect((await reports.rows('work_item_listing', byEmployee)).report).not.toHaveProperty('plan');
  const other = await reports.rows('work_item_listing', byEmployee, null, 'one', { 'x-explain': '0' });
  expect(other.report).not.toHaveProperty('plan');
});
