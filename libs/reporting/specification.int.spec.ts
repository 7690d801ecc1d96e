import { Firm, workedExamples } from './testing/firm';
import { cols, columns, ReportsApplication } from './testing/reports-application';

let reports: ReportsApplication;
let example: Awaited<ReturnType<typeof workedExamples>>;

beforeAll(async () => {
  reports = await ReportsApplication.start({ one: 1 });
  example = await workedExamples(await new Firm(reports.pool, 1).open());
});

afterAll(() => reports.stop());

describe('the requests of the specification', () => {
  it('work_item_listing, with every column that it lists', async () => {
    const slice = {
      cols: [
        ...cols(
          'entryDate',
          'matterNumber',
          'matterId',
          'employeeSortName',
          'employeeId',
          'state',
          'itemType',
        ),
        ...cols(
          'taskTypeName',
          'title',
          'rate',
          'units:sum',
          'unitDuration:sum',
          'totalBase:sum',
          'durationTicks',
        ),
      ],
      startRow: 0,
      endRow: 50,
      sortBy: [{ colId: 'entryDate', desc: true }],
      rowGroups: [],
      groupKeys: [],
      pivots: [],
      totalsOnly: false,
      filterZero: false,
      filterZeroField: null,
      groupLeafLevel: false,
    };
    const criteria = {
      entryPeriod: { fixedPeriod: { min: '2025-01-01', max: '2025-01-05' }, relativePeriod: null },
      includeDeleted: null,
      noMatter: false,
      workItemTypes: [],
      states: [],
    };
    const answer = await reports.rows('work_item_listing', slice, criteria);
    expect(answer.rows).toEqual([
      {
        entryDate: '2025-01-05T10:00:00.000+00:00',
        matterNumber: 'M1',
        matterId: example.matters.get('M1')!.replaceAll('-', ''),
        employeeSortName: 'Ash',
        employeeId: example.employees.get('Ash')!.replaceAll('-', ''),
        state: 'Billed',
        itemType: 'Timed Fee',
        taskTypeName: null,
        title: null,
        rate: 100,
        units: 5,
        unitDuration: 0.5,
        totalBase: 100,
        durationTicks: 0,
      },
    ]);
  });

  it('fee_analysis of one fee earner', async () => {
    const measures = ['Finalised', 'Billed', 'WrittenOff'].flatMap((name) => [
      `workItem${name}:sum`,
      `workItem${name}Units:sum`,
    ]);
    const slice = {
      cols: cols('feeEarnerSortName', ...measures),
      startRow: 0,
      endRow: 50,
      sortBy: [{ colId: 'feeEarnerSortName', desc: false }],
      rowGroups: columns('feeEarnerSortName'),
      groupKeys: [],
      pivots: [],
      totalsOnly: false,
      filterZero: false,
      filterZeroField: null,
      groupLeafLevel: false,
    };
    const feeEarnerId = `employee_${example.employees.get('Bell')!.replaceAll('-', '')}`;
    const relative = { period: null, periodRelativeTo: null, relativePeriod: 'TODAY', feeEarnerId };
    const bell = {
      feeEarnerSortName: 'Bell',
      workItemFinalised: 0,
      workItemFinalisedUnits: 1,
      workItemBilled: 0,
      workItemBilledUnits: 0,
      workItemWrittenOff: 0,
      workItemWrittenOffUnits: 0,
    };
    expect((await reports.rows('fee_analysis', slice, relative)).rows).toEqual([bell]);
    const period = { min: '2025-01-08', max: '2025-01-08' };
    expect((await reports.rows('fee_analysis', slice, { ...relative, period })).rows).toEqual([
      {
        ...bell,
        workItemFinalised: 120,
        workItemFinalisedUnits: 4,
        workItemBilled: 120,
        workItemBilledUnits: 4,
      },
    ]);
  });
});
