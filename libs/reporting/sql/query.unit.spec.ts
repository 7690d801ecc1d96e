import { daysAfter } from '#kernel/zone';
import type { Report } from '../columns/report';
import { feeAnalysisReport } from '../fee-analysis/columns';
import { feeAnalysisConditions } from '../fee-analysis/criteria';
import { pivotFields } from '../pivots';
import { type Plan, planRows } from '../plan';
import { readSlice } from '../slice/slice';
import type { AggregationSliceSpecInput } from '../slice/slice.input';
import { type Source, sourcesFor } from '../sources/source';
import { withinGroups } from '../within-groups';
import { workItemReport } from '../work-items/columns';
import { workItemConditions } from '../work-items/criteria';
import { countDemand, countQuery, pivotDemand, pivotQuery, rowsDemand, rowsQuery } from './query';

const calendar = { zone: 'Europe/London', financialYearStart: 4, now: new Date('2025-06-12T10:00:00Z') };
const scope = {
  tenantId: 7,
  zone: 'Europe/London',
  financialYearStart: 4,
  deepFrom: 1_000,
  manyKeys: 100,
  mostBytes: 1_000,
  addsAs: 'bigint' as const,
};
const matter = 'matter_00000000000070008000000000000001';
const employee = 'employee_00000000000070008000000000000002';
const client = 'client_00000000000070008000000000000003';

function plan(report: Report, input: AggregationSliceSpecInput) {
  const slice = readSlice(input, report);
  const criteria =
    report === workItemReport
      ? workItemConditions(
          { entryPeriod: { relativePeriod: 'THIS_YEAR' }, matterIds: [matter], clientIds: [client] },
          calendar,
        )
      : feeAnalysisConditions({ relativePeriod: 'TODAY', feeEarnerId: employee }, calendar);
  return planRows(withinGroups({ report, ...criteria }, slice, scope.financialYearStart), slice, []);
}

const listed = (planned: Plan) => rowsQuery(planned, { kind: 'listing' }, scope);

describe('the SQL of a plan', () => {
  it.each<[string, Report, AggregationSliceSpecInput]>([
    [
      'leaf rows',
      workItemReport,
      {
        cols: [{ colId: 'entryDate' }, { colId: 'employeeSortName' }, { colId: 'unitDuration' }],
        sortBy: [{ colId: 'entryDate', desc: true }],
        endRow: 50,
      },
    ],
    [
      'leaf rows when one event makes two',
      feeAnalysisReport,
      { cols: [{ colId: 'workItemBilled' }], sortBy: [{ colId: 'day', desc: true }] },
    ],
    [
      'groups inside a group',
      workItemReport,
      {
        rowGroups: [{ colId: 'employeeSortName' }, { colId: 'entryFinancialYear' }],
        groupKeys: ["O'Hara; drop table x"],
        cols: [{ colId: 'total', aggFunc: 'sum' }, { colId: 'state' }],
        sortBy: [{ colId: 'total', desc: true }],
        filterZero: true,
      },
    ],
    [
      'totals of the rows that are not zero',
      feeAnalysisReport,
      {
        totalsOnly: true,
        rowGroups: [{ colId: 'feeEarnerId' }],
        cols: [{ colId: 'workItemFinalised', aggFunc: 'sum' }, { colId: 'realisationRate' }],
        filterZero: true,
        filterZeroField: 'workItemFinalised',
      },
    ],
  ])('%s', (_, report, input) => {
    const planned = plan(report, input);
    for (const source of sourcesFor(planned, rowsDemand(planned)))
      expect({ source, ...rowsQuery(planned, source, scope) }).toMatchSnapshot();
  });

  it.each([{}, { matterIds: [matter] }, { divisionIds: ['division_00000000000070008000000000000004'] }])(
    'binds only values that a deep page uses: %j',
    (criteria) => {
      const input = {
        cols: [{ colId: 'id' }],
        sortBy: [{ colId: 'entryDay' }],
        startRow: 2_000,
        endRow: 2_050,
      };
      const over = { report: workItemReport, ...workItemConditions(criteria, calendar) };
      const { text, values } = listed(planRows(over, readSlice(input, workItemReport), []));
      for (const index of values.keys()) expect(text).toMatch(new RegExp(`\\$${index + 1}\\b`));
      expect(text.includes('page_month')).toBe(Object.keys(criteria).length === 0);
    },
  );

  it('computes as much for each item with hundreds of pivot fields as with two', () => {
    const slice = readSlice(
      {
        rowGroups: [{ colId: 'matterId' }],
        pivots: [{ colId: 'entryDay' }, { colId: 'state' }],
        cols: [
          { colId: 'units', aggFunc: 'sum' },
          { colId: 'total', aggFunc: 'max' },
        ],
      },
      workItemReport,
    );
    const written = (days: number) => {
      const cells = Array.from({ length: days }, (_, day) => [daysAfter('2025-01-01', day), 'Billed']);
      const fields = pivotFields(
        slice,
        cells.map((cell) => ({ shown: cell, exact: cell })),
      );
      const planned = planRows({ report: workItemReport, conditions: [] }, slice, fields);
      return rowsQuery(planned, { kind: 'facts' }, scope);
    };
    expect(written(200).text).toBe(written(1).text);
    expect(written(200).values).toHaveLength(written(1).values.length);
  });

  it.each([
    [4, true],
    [41, false],
  ])('prepares a statement with %d pivot fields: %s', (count, recurs) => {
    const input = {
      rowGroups: [{ colId: 'entryYear' }],
      pivots: [{ colId: 'entryMonth' }],
      cols: [{ colId: 'units', aggFunc: 'sum' }],
    };
    const slice = readSlice(input, workItemReport);
    const months = Array.from({ length: count }, (_, month) => [`${1990 + month}-01`]);
    const fields = pivotFields(
      slice,
      months.map((month) => ({ shown: month, exact: month })),
    );
    const over = { report: workItemReport, ...workItemConditions(null, calendar) };
    const planned = planRows(over, slice, fields);
    const [source] = sourcesFor(planned, rowsDemand(planned));
    expect(source.kind).toBe('rollup');
    expect(rowsQuery(planned, source, scope).recurs).toBe(recurs);
  });

  it.each<[string, string[], boolean]>([
    ['months', ['entryMonth', 'taskTypeName'], true],
    ['financial years', ['entryFinancialYear', 'entryYear'], true],
    ['days', ['entryMonth', 'entryDay'], false],
  ])('adds facts up by month for %s', (_, names, isByMonth) => {
    const input = { cols: names.map((colId) => ({ colId })), groupLeafLevel: true };
    const planned = planRows(
      { report: workItemReport, conditions: [] },
      readSlice(input, workItemReport),
      [],
    );
    const { text } = rowsQuery(planned, { kind: 'facts' }, scope);
    expect(text.includes(`group by date_trunc('month', w.entry_day::timestamp)::date`)).toBe(isByMonth);
  });

  it.each<[Source['kind'], join: string, grouping: string]>([
    [
      'rollup',
      'full join (select id, division_id from read_model.matters m',
      'group by m.division_id, w.entry_day',
    ],
    [
      'facts',
      'left join (select id, division_id from read_model.matters m',
      `group by m.division_id, date_trunc('month', w.entry_day::timestamp)::date`,
    ],
  ])(
    'adds up %s by what matters refer to when nothing else of matters is asked for',
    (kind, join, grouping) => {
      const query = (...names: string[]) => {
        const input = { cols: names.map((colId) => ({ colId })), groupLeafLevel: true };
        const over = { report: workItemReport, ...workItemConditions(null, calendar) };
        const planned = planRows(over, readSlice(input, workItemReport), []);
        const source = sourcesFor(planned, rowsDemand(planned)).find((each) => each.kind === kind)!;
        return rowsQuery(planned, source, scope).text;
      };
      const stepped = query('divisionName', 'entryMonth');
      expect(stepped).toContain(join);
      expect(stepped).toContain(grouping);
      expect(query('divisionName', 'matterTitle', 'entryMonth')).not.toContain('division_id from');
    },
  );

  it.each([
    ['2025-04-30', 'left'],
    ['2025-05-31', 'full'],
  ])('looks up single matters for one month, and joins all of them for more: up to %s', (max, join) => {
    const input = { rowGroups: [{ colId: 'divisionName' }], cols: [{ colId: 'units', aggFunc: 'sum' }] };
    const over = {
      report: workItemReport,
      ...workItemConditions({ entryPeriod: { fixedPeriod: { min: '2025-04-01', max } } }, calendar),
    };
    const planned = planRows(over, readSlice(input, workItemReport), []);
    const [source] = sourcesFor(planned, rowsDemand(planned));
    const { text } = rowsQuery(planned, source, scope);
    expect(text).toContain(`${join} join (select id, division_id from read_model.matters m`);
  });

  it('counts the rows of all pages', () => {
    const planned = plan(feeAnalysisReport, { rowGroups: [{ colId: 'month' }] });
    const [source] = sourcesFor(planned, countDemand(planned));
    expect(countQuery(planned, source, scope)).toMatchSnapshot();
  });

  it('reads the values of pivots under the criteria only', () => {
    const pivots = [workItemReport.columns.get('state')!];
    const over = { report: workItemReport, ...workItemConditions(null, calendar) };
    const [source] = sourcesFor(over, pivotDemand(over, pivots));
    expect(pivotQuery(over, pivots, 501, source, scope)).toMatchSnapshot();
  });

  it.each<[Report, string, string]>([
    [workItemReport, 'remaining', 'w'],
    [workItemReport, 'invoiceNumber', 'w i'],
    [workItemReport, 'taskTypeCode', 'w t'],
    [workItemReport, 'matterTypeName', 'w m mt'],
    [feeAnalysisReport, 'realisationRate', 'f'],
    [feeAnalysisReport, 'taskTypeName', 'f t'],
    [feeAnalysisReport, 'clientSortName', 'f m c cp'],
  ])('joins only what a column needs: %#', (report, colId, aliases) => {
    const { text } = listed(
      planRows({ report, conditions: [] }, readSlice({ cols: [{ colId }] }, report), []),
    );
    const joined = [...text.matchAll(/(?:from|join) read_model\.\w+ (\w+)/g)].map(([, alias]) => alias);
    expect(joined.join(' ')).toBe(`${aliases} calendar`);
  });

  it('binds tenant and live generation for every table', () => {
    for (const report of [workItemReport, feeAnalysisReport]) {
      const cols = [...report.columns.keys()].map((colId) => ({ colId }));
      const { text, values } = listed(plan(report, { cols }));
      const tables = [...text.matchAll(/(?:from|join) read_model\.\w+ (\w+)/g)].map(([, alias]) => alias);
      // The report's own table, the joined tables, and the table of the tenant's calendar.
      expect(new Set(tables).size).toBe(2 + report.joins.length);
      for (const alias of tables)
        expect(text).toContain(
          `${alias}.tenant_id = $1 and ${alias}.generation = (select read_model.live_generation(`,
        );
      expect(values[0]).toBe(7);
    }
  });
});
