import { Firm, workedExamples } from '../testing/firm';
import { cols, columns, ReportsApplication } from '../testing/reports-application';

let reports: ReportsApplication;

beforeAll(async () => {
  reports = await ReportsApplication.start({ one: 1, two: 2 });
  await workedExamples(await new Firm(reports.pool, 1).open());
});

afterAll(() => reports.stop());

describe('the worked examples, on fee analysis', () => {
  const ask = (slice: object, criteria?: object) => reports.rows('fee_analysis', slice, criteria);
  const T = 'workItemFinalised:sum';
  const U = 'workItemFinalisedUnits:sum';

  it('1, 2 and 3: leaf rows, groups, groups inside a group', async () => {
    const leaves = await ask({
      cols: cols('day', 'matterNumber', U),
      sortBy: [{ colId: 'day', desc: true }],
      endRow: 3,
    });
    expect(leaves.rows).toEqual([
      { day: '2025-01-09', matterNumber: 'M3', workItemFinalisedUnits: 0 },
      { day: '2025-01-09', matterNumber: 'M2', workItemFinalisedUnits: 1 },
      { day: '2025-01-08', matterNumber: 'M2', workItemFinalisedUnits: 4 },
    ]);
    const groups = await ask({
      rowGroups: columns('feeEarnerSortName'),
      cols: cols('feeEarnerSortName', U, T, 'realisationRate'),
      sortBy: [{ colId: 'workItemFinalised', desc: true }],
    });
    expect(groups.rows).toEqual([
      { feeEarnerSortName: 'Ash', workItemFinalisedUnits: 10, workItemFinalised: 200, realisationRate: 1 },
      { feeEarnerSortName: 'Bell', workItemFinalisedUnits: 5, workItemFinalised: 120, realisationRate: 1 },
      { feeEarnerSortName: 'Cole', workItemFinalisedUnits: 0, workItemFinalised: 0, realisationRate: null },
    ]);
    const inside = await ask({
      rowGroups: columns('feeEarnerSortName', 'matterNumber'),
      groupKeys: ['Ash'],
      cols: cols(T),
    });
    expect(inside.rows).toEqual([
      { feeEarnerSortName: 'Ash', matterNumber: 'M1', workItemFinalised: 140 },
      { feeEarnerSortName: 'Ash', matterNumber: 'M2', workItemFinalised: 60 },
    ]);
  });

  it('4, 5, 7 and 8: leaves of a group, totals, without zeros, grouped leaves', async () => {
    const leaves = await ask({
      rowGroups: columns('feeEarnerSortName', 'matterNumber'),
      groupKeys: ['Ash', 'M1'],
      cols: cols('day', 'workItemFinalised'),
    });
    expect(leaves.rows).toEqual([
      { day: '2025-01-05', workItemFinalised: 100, feeEarnerSortName: 'Ash', matterNumber: 'M1' },
      { day: '2025-01-06', workItemFinalised: 40, feeEarnerSortName: 'Ash', matterNumber: 'M1' },
    ]);
    const totals = await ask({ totalsOnly: true, cols: cols(U, T) });
    expect(totals.rows).toEqual([{ workItemFinalisedUnits: 15, workItemFinalised: 320 }]);
    const nonZero = await ask({
      rowGroups: columns('feeEarnerSortName'),
      cols: cols(T),
      filterZero: true,
      filterZeroField: 'workItemFinalised',
    });
    expect(nonZero.report.lastRow).toBe(2);
    const grouped = await ask({
      rowGroups: columns('feeEarnerSortName'),
      groupKeys: ['Ash'],
      cols: cols('matterNumber', T),
      groupLeafLevel: true,
    });
    expect(grouped.rows).toEqual([
      { matterNumber: 'M1', workItemFinalised: 140, feeEarnerSortName: 'Ash' },
      { matterNumber: 'M2', workItemFinalised: 60, feeEarnerSortName: 'Ash' },
    ]);
  });

  it('6: pivots over the criteria, also inside a group', async () => {
    const answer = await ask({
      rowGroups: columns('feeEarnerSortName'),
      groupKeys: [],
      pivots: columns('matterNumber'),
      cols: cols(T),
      sortBy: [{ colId: 'M2_workItemFinalised', desc: true }],
    });
    expect(answer.rows[0]).toEqual({
      feeEarnerSortName: 'Bell',
      M1_workItemFinalised: null,
      M2_workItemFinalised: 120,
      M3_workItemFinalised: null,
    });
    const inside = await ask({
      rowGroups: columns('feeEarnerSortName', 'month'),
      groupKeys: ['Cole'],
      pivots: columns('matterNumber'),
      cols: cols(T),
    });
    expect(inside.rows).toEqual([
      {
        feeEarnerSortName: 'Cole',
        month: '2025-01',
        M1_workItemFinalised: null,
        M2_workItemFinalised: null,
        M3_workItemFinalised: 0,
      },
    ]);
  });
});

it('filterZero keeps a group that is made by its realisation rate', async () => {
  const firm = await new Firm(reports.pool, 2).open();
  const { employees, matters } = await workedExamples(firm);
  const who = { employee_id: employees.get('Cole')!, matter_id: matters.get('M3')! };
  // Billed at half its value, then taken back.
  for (const amount of [50, -50])
    await firm.fact({ ...who, day: '2025-01-10', billed: amount, written_off: amount });
  const slice = { rowGroups: columns('realisationRate'), cols: cols('realisationRate', 'day:count') };
  const all = await reports.rows('fee_analysis', slice, null, 'two');
  expect(all.rows).toEqual([
    { realisationRate: null, day: 4 },
    { realisationRate: 0.5, day: 2 },
    { realisationRate: 1, day: 2 },
  ]);
  const { rows } = await reports.rows('fee_analysis', { ...slice, filterZero: true }, null, 'two');
  expect(rows).toContainEqual({ realisationRate: 0.5, day: 2 });
});
