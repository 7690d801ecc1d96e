import { Firm, workedExamples } from '../testing/firm';
import { cols, columns, ReportsApplication } from '../testing/reports-application';

let reports: ReportsApplication;

beforeAll(async () => {
  reports = await ReportsApplication.start({ one: 1 });
  await workedExamples(await new Firm(reports.pool, 1).open());
});

afterAll(() => reports.stop());

describe('the worked examples, on work items', () => {
  const ask = (slice: object, criteria?: object) => reports.rows('work_item_listing', slice, criteria);
  const T = 'totalBase:sum';
  const U = 'units:sum';

  it('1: leaf rows by date, ties by id', async () => {
    const answer = await ask({
      cols: cols('entryDate', 'matterNumber', U),
      sortBy: [{ colId: 'entryDate', desc: true }],
      startRow: 0,
      endRow: 3,
    });
    expect(answer.rows).toEqual([
      { entryDate: '2025-01-09T10:00:00.000+00:00', matterNumber: 'M3', units: 0 },
      { entryDate: '2025-01-09T10:00:00.000+00:00', matterNumber: 'M2', units: 1 },
      { entryDate: '2025-01-08T10:00:00.000+00:00', matterNumber: 'M2', units: 4 },
    ]);
    expect(answer.report).toEqual({ lastRow: -1, pivotResultFields: [], ignoredSort: [] });
  });

  it('2: groups in the order of a sum', async () => {
    const answer = await ask({
      rowGroups: columns('employeeSortName'),
      cols: cols('employeeSortName', U, T),
      sortBy: [{ colId: 'totalBase', desc: true }],
    });
    expect(answer.rows).toEqual([
      { employeeSortName: 'Ash', units: 10, totalBase: 200 },
      { employeeSortName: 'Bell', units: 5, totalBase: 120 },
      { employeeSortName: 'Cole', units: 0, totalBase: 0 },
    ]);
    expect(answer.report.lastRow).toBe(3);
  });

  it('3: the groups inside a group', async () => {
    const answer = await ask({
      rowGroups: columns('employeeSortName', 'matterNumber'),
      groupKeys: ['Ash'],
      cols: cols(T),
    });
    expect(answer.rows).toEqual([
      { employeeSortName: 'Ash', matterNumber: 'M1', totalBase: 140 },
      { employeeSortName: 'Ash', matterNumber: 'M2', totalBase: 60 },
    ]);
  });

  it('4: the leaf rows of a group', async () => {
    const answer = await ask({
      rowGroups: columns('employeeSortName', 'matterNumber'),
      groupKeys: ['Ash', 'M1'],
      cols: cols('entryDay', 'units', 'totalBase'),
    });
    expect(answer.rows).toEqual([
      { entryDay: '2025-01-05', units: 5, totalBase: 100, employeeSortName: 'Ash', matterNumber: 'M1' },
      { entryDay: '2025-01-06', units: 2, totalBase: 40, employeeSortName: 'Ash', matterNumber: 'M1' },
    ]);
  });

  it('5: totals', async () => {
    const answer = await ask({ totalsOnly: true, cols: cols('entryDate', U, T) });
    expect(answer.rows).toEqual([{ units: 15, totalBase: 320 }]);
  });

  it('6: pivots', async () => {
    const answer = await ask({
      rowGroups: columns('employeeSortName'),
      pivots: columns('state'),
      cols: cols(T),
    });
    expect(answer.rows).toEqual([
      { employeeSortName: 'Ash', Billed_totalBase: 100, Finalised_totalBase: 100 },
      { employeeSortName: 'Bell', Billed_totalBase: 120, Finalised_totalBase: 0 },
      { employeeSortName: 'Cole', Billed_totalBase: null, Finalised_totalBase: 0 },
    ]);
    expect(answer.report.pivotResultFields).toEqual([
      { field: 'Billed_totalBase', keys: ['Billed'], colId: 'totalBase' },
      { field: 'Finalised_totalBase', keys: ['Finalised'], colId: 'totalBase' },
    ]);
  });

  it('7: groups without those that come to zero', async () => {
    const answer = await ask({
      rowGroups: columns('employeeSortName'),
      cols: cols('employeeSortName', U, T),
      sortBy: [{ colId: 'totalBase', desc: true }],
      filterZero: true,
      filterZeroField: 'totalBase',
    });
    expect(answer.rows.map((row: { employeeSortName: string }) => row.employeeSortName)).toEqual([
      'Ash',
      'Bell',
    ]);
  });

  it('8: leaf rows grouped by their tuple', async () => {
    const answer = await ask({
      rowGroups: columns('employeeSortName'),
      groupKeys: ['Ash'],
      cols: cols('matterNumber', 'state', U, T),
      groupLeafLevel: true,
    });
    expect(answer.rows).toEqual([
      { matterNumber: 'M1', state: 'Billed', units: 5, totalBase: 100, employeeSortName: 'Ash' },
      { matterNumber: 'M1', state: 'Finalised', units: 2, totalBase: 40, employeeSortName: 'Ash' },
      { matterNumber: 'M2', state: 'Finalised', units: 3, totalBase: 60, employeeSortName: 'Ash' },
    ]);
  });
});
