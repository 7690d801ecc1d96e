import { Firm } from './testing/firm';
import { cols, columns, ReportsApplication } from './testing/reports-application';

let reports: ReportsApplication;

/** Two of these are more than a bigint of ten thousandths. An item has less, but a firm has many. */
const LARGE = 600_000_000_000_001;

beforeAll(async () => {
  reports = await ReportsApplication.start({ one: 1 });
  const firm = await new Firm(reports.pool, 1).open();
  const client = await firm.client('Client, One');
  const matter_id = await firm.matter('M1', client, await firm.division('Litigation'));
  const who = { matter_id, employee_id: await firm.employee('Ash') };
  const days = ['2024-03-01', '2024-07-01', '2025-02-03'];
  for (const [index, day] of days.entries())
    await firm.workItem({
      ...who,
      entry_date: `${day}T10:00:00Z`,
      item_state: index % 2,
      units: 2,
      total_base: LARGE,
    });
});

afterAll(() => reports.stop());

describe('sums that exceed a bigint are exact', () => {
  const sum = 3 * LARGE;
  const ask = async (slice: object) => (await reports.rows('work_item_listing', slice)).rows;

  it('in a rollup', async () => {
    const slice = { rowGroups: columns('employeeSortName'), cols: cols('totalBase:sum', 'units:sum') };
    expect(await ask(slice)).toEqual([{ employeeSortName: 'Ash', totalBase: sum, units: 6 }]);
  });

  it('of several rows of a rollup', async () => {
    const criteria = { entryPeriod: { fixedPeriod: { min: '2024-07-01', max: '2025-12-31' } } };
    const slice = { totalsOnly: true, cols: cols('totalBase:sum') };
    const { rows } = await reports.rows('work_item_listing', slice, criteria);
    expect(rows).toEqual([{ totalBase: 2 * LARGE }]);
  });

  it('of facts', async () => {
    const slice = {
      groupLeafLevel: true,
      cols: cols('isBillable', 'totalBase:sum', 'total:avg', 'remaining:max'),
    };
    expect(await ask(slice)).toEqual([{ isBillable: true, totalBase: sum, total: LARGE, remaining: 0 }]);
  });

  it('of the sums of groups with one name', async () => {
    const slice = { groupLeafLevel: true, cols: cols('divisionName', 'totalBase:sum') };
    expect(await ask(slice)).toEqual([{ divisionName: 'Litigation', totalBase: sum }]);
  });

  it('in the fields of pivots, all of one moment', async () => {
    const slice = { totalsOnly: true, pivots: columns('state'), cols: cols('totalBase:sum') };
    expect(await ask(slice)).toEqual([{ Pending_totalBase: 2 * LARGE, Finalised_totalBase: LARGE }]);
  });
});
