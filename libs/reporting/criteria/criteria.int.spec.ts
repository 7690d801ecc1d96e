import { TenantCalendars } from '../tenant-calendar';
import { Firm } from '../testing/firm';
import { cols, columns, ReportsApplication } from '../testing/reports-application';

let reports: ReportsApplication;
const ids: Record<string, string> = {};

beforeAll(async () => {
  reports = await ReportsApplication.start({ one: 1, sydney: 2 });
  const firm = await new Firm(reports.pool, 1).open();
  for (const name of ['A', 'B']) {
    ids[`employee${name}`] = await firm.employee(`Employee ${name}`);
    ids[`client${name}`] = await firm.client(`Client ${name}`);
    ids[`division${name}`] = await firm.division(`Division ${name}`);
    ids[`matter${name}`] = await firm.matter(`M${name}`, ids[`client${name}`], ids[`division${name}`]);
    const work = { employee_id: ids[`employee${name}`], matter_id: ids[`matter${name}`] };
    await firm.workItem({ ...work, entry_date: '2025-01-05T10:00:00Z', title: `on ${name}` });
    await firm.fact({ ...work, day: '2025-01-05', finalised: 5 });
  }
  const employee_id = ids.employeeA;
  const item = (title: string, entry_date: string, row: object = {}) =>
    firm.workItem({ employee_id, entry_date, title, ...row });
  await item('no matter', '2025-01-04T10:00:00Z');
  await item('deleted', '2025-01-04T10:00:00Z', { is_deleted: true });
  await item('itemised, billed', '2025-01-03T10:00:00Z', { item_type: 1, item_state: 2 });
  // British summer time began at 2025-03-30 01:00 UTC and ended at 2025-10-26 01:00 UTC
  await item('late on 30 March', '2025-03-30T22:59:59Z');
  await item('early on 31 March', '2025-03-30T23:00:00Z');
  await item('late on 26 October', '2025-10-26T23:59:59Z');
  const sydney = await new Firm(reports.pool, 2).open({ zone: 'Australia/Sydney', financialYearStart: 7 });
  const sydneyEmployee = await sydney.employee('Sydney');
  for (const entry_date of ['2025-06-30T13:59:59Z', '2025-06-30T14:00:00Z'])
    await sydney.workItem({ employee_id: sydneyEmployee, entry_date, title: entry_date });
});

afterAll(() => reports.stop());

async function titles(criteria: object, tenant?: string): Promise<string[]> {
  const slice = { cols: cols('title'), sortBy: columns('title') };
  const { rows } = await reports.rows('work_item_listing', slice, criteria, tenant);
  return rows.map((row: { title: string }) => row.title);
}

const fixed = (min: string | null, max: string | null) => ({ entryPeriod: { fixedPeriod: { min, max } } });

describe('work items are selected', () => {
  it('by matter, client, employee and division', async () => {
    const prefixed = (kind: string, name: string) => `${kind}_${ids[name].replaceAll('-', '')}`;
    expect(await titles({ matterIds: [prefixed('matter', 'matterB')] })).toEqual(['on B']);
    expect(await titles({ clientIds: [prefixed('client', 'clientB')] })).toEqual(['on B']);
    expect(await titles({ divisionIds: [prefixed('division', 'divisionB')] })).toEqual(['on B']);
    expect(await titles({ employeeIds: [prefixed('employee', 'employeeB')] })).toEqual(['on B']);
    expect(await titles({ employeeIds: [] })).toHaveLength(7);
  });

  it('by state and type, written with or without a space', async () => {
    expect(await titles({ states: ['Billed'] })).toEqual(['itemised, billed']);
    expect(await titles({ workItemTypes: ['Itemised Fee'] })).toEqual(['itemised, billed']);
    expect(await titles({ workItemTypes: ['ITEMISED_FEE'] })).toEqual(['itemised, billed']);
  });

  it('including deleted ones, or only those on no matter', async () => {
    expect(await titles({ includeDeleted: true })).toContain('deleted');
    expect(await titles({ includeDeleted: null })).not.toContain('deleted');
    expect(await titles({ noMatter: true, ...fixed('2025-01-04', '2025-01-05') })).toEqual(['no matter']);
    expect(await titles({ noMatter: false, ...fixed('2025-01-04', '2025-01-05') })).toEqual([
      'no matter',
      'on A',
      'on B',
    ]);
  });

  it('by local days, even when the clocks change', async () => {
    expect(await titles(fixed('2025-03-30', '2025-03-30'))).toEqual(['late on 30 March']);
    expect(await titles(fixed('2025-03-31', '2025-03-31'))).toEqual(['early on 31 March']);
    expect(await titles(fixed('2025-10-26', '2025-10-26'))).toEqual(['late on 26 October']);
    expect(await titles(fixed('2025-10-27', null))).toEqual([]);
    expect(await titles(fixed('0001-01-01', '9999-12-31'))).toHaveLength(7);
  });

  it('by a relative period of the tenant, unless a fixed one is given', async () => {
    reports.now = new Date('2025-03-30T23:30:00Z');
    expect(await titles({ entryPeriod: { fixedPeriod: null, relativePeriod: 'TODAY' } })).toEqual([
      'early on 31 March',
    ]);
    expect(await titles({ entryPeriod: { relativePeriod: 'YESTERDAY' } })).toEqual(['late on 30 March']);
    const both = { ...fixed('2025-10-26', '2025-10-26').entryPeriod, relativePeriod: 'TODAY' };
    expect(await titles({ entryPeriod: both })).toEqual(['late on 26 October']);
    expect(await titles({ entryPeriod: { fixedPeriod: null, relativePeriod: null } })).toHaveLength(7);
    reports.now = new Date('2025-07-01T00:00:00Z');
    const financialYear = (relativePeriod: string) => titles({ entryPeriod: { relativePeriod } }, 'sydney');
    expect(await financialYear('THIS_FINANCIAL_YEAR')).toEqual(['2025-06-30T14:00:00Z']);
    expect(await financialYear('LAST_FINANCIAL_YEAR')).toEqual(['2025-06-30T13:59:59Z']);
    // The cached calendar must not be used once it has changed.
    await reports.pool.query('update read_model.tenants set financial_year_start = 1 where tenant_id = 2');
    expect(await financialYear('THIS_FINANCIAL_YEAR')).toHaveLength(2);
    // Nor may the one that a process reads first, when it changes at that moment.
    const calendars = reports.app.get(TenantCalendars);
    const former = { zone: 'Australia/Sydney', financialYearStart: 7, now: reports.now };
    jest.spyOn(calendars, 'known').mockReturnValueOnce(undefined);
    jest.spyOn(calendars, 'of').mockResolvedValueOnce(former);
    expect(await financialYear('THIS_FINANCIAL_YEAR')).toHaveLength(2);
    jest.restoreAllMocks();
  });
});

describe('facts of fee analysis are selected', () => {
  async function earners(criteria: object): Promise<string[]> {
    const slice = { rowGroups: columns('feeEarnerSortName') };
    const { rows } = await reports.rows('fee_analysis', slice, criteria);
    return rows.map((row: { feeEarnerSortName: string }) => row.feeEarnerSortName);
  }

  it('by fee earner, matter, client and division', async () => {
    for (const [field, kind] of Object.entries({
      feeEarnerId: 'employee',
      matterId: 'matter',
      clientId: 'client',
      divisionId: 'division',
    }))
      expect(await earners({ [field]: `${kind}_${ids[`${kind}B`].replaceAll('-', '')}` })).toEqual([
        'Employee B',
      ]);
  });

  it('by a period relative to a day', async () => {
    const relative = { period: null, relativePeriod: 'LAST_MONTH' };
    expect(await earners({ ...relative, periodRelativeTo: '2025-02-14' })).toHaveLength(2);
    expect(await earners({ ...relative, periodRelativeTo: '2025-03-14' })).toEqual([]);
    expect(
      await earners({ period: { min: '2025-01-05', max: '2025-01-05' }, relativePeriod: 'TODAY' }),
    ).toHaveLength(2);
  });
});

it.each<[report: 'work_item_listing' | 'fee_analysis', reason: string, path: string, criteria: object]>([
  [
    'work_item_listing',
    'UNKNOWN_PERIOD',
    'criteria.entryPeriod.relativePeriod',
    { entryPeriod: { relativePeriod: 'SOON' } },
  ],
  [
    'work_item_listing',
    'UNKNOWN_PERIOD',
    'criteria.entryPeriod.relativePeriod',
    { entryPeriod: { relativePeriod: '' } },
  ],
  ['work_item_listing', 'PERIOD_INVALID', 'criteria.entryPeriod.fixedPeriod.min', fixed('2025-02-30', null)],
  [
    'work_item_listing',
    'PERIOD_INVALID',
    'criteria.entryPeriod.fixedPeriod.max',
    fixed('2025-02-02', '2025-02-01'),
  ],
  ['work_item_listing', 'UNKNOWN_STATE', 'criteria.states[1]', { states: ['Billed', 'Lost'] }],
  ['work_item_listing', 'UNKNOWN_WORK_ITEM_TYPE', 'criteria.workItemTypes[0]', { workItemTypes: ['Fixed'] }],
  ['work_item_listing', 'ID_INVALID', 'criteria.matterIds[0]', { matterIds: [`client_${'0'.repeat(32)}`] }],
  ['fee_analysis', 'ID_INVALID', 'criteria.feeEarnerId', { feeEarnerId: '0'.repeat(32) }],
  ['fee_analysis', 'PERIOD_INVALID', 'criteria.periodRelativeTo', { periodRelativeTo: 'yesterday' }],
  [
    'fee_analysis',
    'PERIOD_INVALID',
    'criteria.periodRelativeTo',
    { relativePeriod: 'LAST_MONTH', periodRelativeTo: '0001-01-01' },
  ],
  [
    'fee_analysis',
    'PERIOD_INVALID',
    'criteria.periodRelativeTo',
    { relativePeriod: 'THIS_FINANCIAL_YEAR', periodRelativeTo: '9999-12-31' },
  ],
  ['fee_analysis', 'UNKNOWN_PERIOD', 'criteria.relativePeriod', { relativePeriod: 'today' }],
])('wrong criteria of %s are refused: %s at %s', async (report, reason, path, criteria) => {
  const refusal = await reports.refusal(report, { cols: [] }, criteria);
  expect(refusal).toMatchObject({ status: 400, code: 'BAD_USER_INPUT', reason, path });
});
