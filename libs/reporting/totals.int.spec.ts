import { Firm, workedExamples } from './testing/firm';
import { cols, columns, ReportsApplication } from './testing/reports-application';

let reports: ReportsApplication;

beforeAll(async () => {
  reports = await ReportsApplication.start({ one: 1 });
  await workedExamples(await new Firm(reports.pool, 1).open());
});

afterAll(() => reports.stop());

describe('zeros and totals', () => {
  const ask = (slice: object) => reports.rows('work_item_listing', slice);
  const slices = [
    { cols: cols('units:sum', 'totalBase:sum', 'matterNumber:count') },
    {
      rowGroups: columns('employeeSortName'),
      cols: cols('units:sum', 'totalBase:sum', 'matterNumber:count'),
    },
    { rowGroups: columns('employeeSortName'), groupKeys: ['Bell'], cols: cols('units:sum', 'totalBase:sum') },
    {
      cols: cols('employeeSortName', 'units:sum', 'totalBase:sum', 'entryDay:count'),
      groupLeafLevel: true,
    },
  ];
  const filters = [{}, { filterZero: true }, { filterZero: true, filterZeroField: 'totalBase' }];

  it('totals are the sum of all pages of the same slice', async () => {
    for (const slice of slices) {
      for (const filter of filters) {
        const leaf = !slice.rowGroups?.length ? !slice.groupLeafLevel : slice.groupKeys?.length === 1;
        const { rows } = await ask({ ...slice, ...filter });
        const totals = (await ask({ ...slice, ...filter, totalsOnly: true })).rows[0];
        for (const { colId, aggFunc } of slice.cols as { colId: string; aggFunc?: string }[]) {
          if (!aggFunc) continue;
          const values = rows.map((row: Record<string, unknown>) =>
            leaf && aggFunc === 'count' ? Number(row[colId] !== null) : row[colId],
          );
          expect(totals[colId]).toBe(values.reduce((sum: number, value: number) => sum + value, 0));
        }
      }
    }
  });

  it('totals are one row without fields when there is nothing to pivot', async () => {
    const never = { entryPeriod: { fixedPeriod: { min: '1999-01-01', max: '1999-01-01' } } };
    const slice = { totalsOnly: true, pivots: columns('state'), cols: cols('units:sum') };
    const { rows, report } = await reports.rows('work_item_listing', slice, never);
    expect(rows).toEqual([{}]);
    expect(report.lastRow).toBe(1);
  });

  it('totals with filterZero include all rows when these are one group', async () => {
    const slice = { totalsOnly: true, groupLeafLevel: true, filterZero: true, cols: cols('units:sum') };
    expect((await ask(slice)).rows).toEqual([{ units: 15 }]);
    expect((await ask({ ...slice, filterZeroField: 'units' })).rows).toEqual([{ units: 15 }]);
  });

  it('filterZero without a field drops the rows whose measures are all zero', async () => {
    const { rows } = await ask({
      rowGroups: columns('matterNumber'),
      cols: cols('units:sum'),
      filterZero: true,
    });
    expect(rows).toHaveLength(2);
    const leaves = await ask({ cols: cols('units', 'totalBase'), filterZero: true });
    expect(leaves.rows).toHaveLength(5);
  });

  it('rows are filtered and sorted by a pivot field', async () => {
    const { rows } = await ask({
      rowGroups: columns('employeeSortName'),
      pivots: columns('state', 'entryYear'),
      cols: cols('units:sum'),
      filterZero: true,
      filterZeroField: 'Billed_2025_units',
      sortBy: [{ colId: 'Billed_2025_units' }],
    });
    expect(rows).toEqual([
      { employeeSortName: 'Bell', Billed_2025_units: 4, Finalised_2025_units: 1 },
      { employeeSortName: 'Ash', Billed_2025_units: 5, Finalised_2025_units: 5 },
    ]);
  });
});
