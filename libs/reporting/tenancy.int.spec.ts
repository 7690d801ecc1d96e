import { feeAnalysisReport } from './fee-analysis/columns';
import { Firm } from './testing/firm';
import { columns, type ReportName, ReportsApplication } from './testing/reports-application';
import { workItemReport } from './work-items/columns';

let reports: ReportsApplication;

/**
 * Creates every kind of record of a firm, with the same ids in every firm: only tenant and generation distinguish the
 * rows.
 */
async function lookAlike(firm: Firm, mark: string): Promise<void> {
  const id = (digit: number) => `00000000-0000-7000-8000-00000000000${digit}`;
  const common = (digit: number) => ({ id: id(digit) });
  await firm.insert('people', { ...common(1), entity_type: 'Individual', sort_name: mark, full_name: mark });
  await firm.insert('employees', { ...common(2), entity_id: id(1), employee_state: 1, is_fee_earner: true });
  await firm.insert('clients', { ...common(3), entity_id: id(1), client_number: mark, client_state: 1 });
  await firm.insert('divisions', { ...common(4), name: mark, division_state: 1, is_default: true });
  await firm.insert('matters', {
    ...common(5),
    client_id: id(3),
    division_id: id(4),
    matter_number: mark,
    title: mark,
    matter_state: 1,
    date_opened: '2025-01-01T00:00:00Z',
  });
  const work = { employee_id: id(2), matter_id: id(5) };
  await firm.workItem({ ...work, ...common(6), entry_date: '2025-01-05T10:00:00Z', title: mark, units: 1 });
  await firm.fact({ ...work, id: id(7), day: '2025-01-05', finalised_units: 1 });
}

beforeAll(async () => {
  reports = await ReportsApplication.start({ one: 1, two: 2 });
  for (const table of [
    'people',
    'employees',
    'clients',
    'divisions',
    'matters',
    'work_items',
    'work_item_facts',
    'work_item_rollups',
    'fee_analysis',
    'fee_analysis_rollups',
    'tenants',
  ])
    await reports.pool.query(
      `create table read_model.${table}_g2 partition of read_model.${table} for values in (2)`,
    );
  await lookAlike(await new Firm(reports.pool, 1).open(), 'mine');
  await lookAlike(await new Firm(reports.pool, 2).open({ zone: 'Australia/Sydney' }), 'theirs');
  await lookAlike(await new Firm(reports.pool, 1, 2).open({ zone: 'Australia/Sydney' }), 'not live');
});

afterAll(() => reports.stop());

const hex = (digit: number) => `0000000000007000800000000000000${digit}`;

describe.each<[ReportName, string, string]>([
  ['work_item_listing', 'units', 'employeeSortName'],
  ['fee_analysis', 'workItemFinalisedUnits', 'feeEarnerSortName'],
])('%s', (name, units, earner) => {
  const report = name === 'fee_analysis' ? feeAnalysisReport : workItemReport;
  const every = columns(...report.columns.keys());

  it('answers only from the rows of the tenant in the live generation', async () => {
    for (const [tenant, mark] of [
      ['one', 'mine'],
      ['two', 'theirs'],
    ]) {
      const { rows } = await reports.rows(name, { cols: every }, null, tenant);
      expect(rows).toHaveLength(1);
      expect(rows[0]).toMatchObject({
        [earner]: mark,
        clientSortName: mark,
        divisionName: mark,
        matterTitle: mark,
      });
      const grouped = { rowGroups: columns(earner), cols: [{ colId: units, aggFunc: 'sum' }] };
      expect((await reports.rows(name, grouped, null, tenant)).rows).toEqual([
        { [earner]: mark, [units]: 1 },
      ]);
      const pivoted = { totalsOnly: true, pivots: columns('matterTitle'), cols: grouped.cols };
      expect((await reports.rows(name, pivoted, null, tenant)).rows).toEqual([{ [`${mark}_${units}`]: 1 }]);
    }
  });

  it('finds nothing of another tenant by its names', async () => {
    const slice = { rowGroups: columns('matterNumber'), groupKeys: ['theirs'], cols: every.slice(0, 1) };
    expect((await reports.rows(name, slice)).rows).toEqual([]);
    const criteria =
      name === 'fee_analysis' ? { clientId: `client_${hex(3)}` } : { clientIds: [`client_${hex(3)}`] };
    expect((await reports.rows(name, { cols: every }, criteria)).rows).toHaveLength(1);
  });

  it('follows the live generation', async () => {
    await reports.pool.query('update read_model.live set generation = 2');
    const { rows } = await reports.rows(name, { cols: columns(earner, 'matterTitle') });
    await reports.pool.query('update read_model.live set generation = 1');
    expect(rows).toEqual([{ [earner]: 'not live', matterTitle: 'not live' }]);
  });

  it('follows the live generation even when PostgreSQL keeps the plan', async () => {
    const byDay = [{ colId: name === 'fee_analysis' ? 'day' : 'entryDay', desc: true }];
    const slice = { cols: columns(earner), sortBy: byDay };
    // After five runs PostgreSQL may keep the plan.
    for (let run = 0; run < 7; run++)
      expect((await reports.rows(name, slice)).rows).toEqual([{ [earner]: 'mine' }]);
    await reports.pool.query('update read_model.live set generation = 2');
    const { rows } = await reports.rows(name, slice);
    await reports.pool.query('update read_model.live set generation = 1');
    expect(rows).toEqual([{ [earner]: 'not live' }]);
  });
});
