import type { ApiClient } from '../support/client';
import { Office } from './office';
import { behavesAsRecords } from './record-behaviour';
import { employee, HOUR, hour, mark, matter, person } from './records';
import { expectProblem } from './refusals';

let office: Office;
let api: ApiClient;
let stranger: ApiClient;
let colleague: ApiClient;
let matterId: string;
let employeeId: string;

beforeAll(async () => {
  office = await Office.join();
  // Only pending items can be changed and deleted.
  api = await office.tenant(undefined, ['autoFinaliseWorkItems=false']);
  stranger = await office.tenant();
  colleague = await office.caller(api.tenant, await office.integration(api.tenant));
  matterId = await matter(api);
  employeeId = await employee(api, { defaultRate: { Amount: 200, Currency: 'GBP' } });
});
afterAll(() => office.close());

const UNKNOWN = '0'.repeat(32);
const item = (fields: object = {}) => hour(matterId, employeeId, fields);
const record = (fields: object = {}) => api.data('POST', 'workitems', item(fields));

describe('work items', () => {
  behavesAsRecords(
    {
      path: 'workitems',
      kind: 'workitem',
      money: ['rate'],
      optional: { field: 'units', first: 12, second: 2.5, cleared: 10 },
      derived: ['total', 'totalBase', 'remaining', 'remainingUnits', 'unitDuration'],
      required: 'employeeId',
      sorts: ['entryDate', 'createdOn', 'updatedOn', 'matterNumber', 'employeeSortName'],
      actions: ['finalise'],
      badFilters: ['state=4', 'itemType=2', 'matterId=x', 'entryDateFrom=x', `employeeId=matter_${UNKNOWN}`],
    },
    () => ({ api, stranger, colleague, body: async (keyword) => item({ title: `About ${keyword}` }) }),
  );

  it('shows its value, and the names of what it refers to on GET', async () => {
    const { id } = await record({ rate: undefined, entryDate: '2025-06-12T12:00:00+02:00' });
    const gbp = (Amount: number) => ({ Amount, Currency: 'GBP' });
    expect(await api.data('GET', `workitems/${id}`)).toMatchObject({
      matterId,
      employeeId,
      itemType: 0,
      itemTypeName: 'Timed Fee',
      entryDate: '2025-06-12T10:00:00.000Z',
      durationTicks: HOUR,
      units: 10,
      unitsOverridden: false,
      unitDuration: 1,
      rate: gbp(200),
      rateSource: 'EmployeeDefault',
      isBillable: true,
      total: gbp(200),
      totalBase: gbp(200),
      remaining: gbp(200),
      remainingUnits: 10,
      state: 0,
      stateName: 'Pending',
      invoiceId: null,
      taskTypeId: null,
      matterNumber: expect.any(String),
      employeeSortName: expect.stringContaining('Eve'),
    });
  });

  it('is listed by matter, employee, state, type and time', async () => {
    const here = { matterId: await matter(api) };
    const june = await record({ ...here, entryDate: '2025-06-12T23:59:59Z' });
    const july = await record({ ...here, entryDate: '2025-07-01T00:00:00Z', itemType: 1 });
    const found = async (query: object) =>
      (await api.rows('workitems', { ...here, ...query })).map((row) => row.id);
    expect(await found({})).toEqual([july.id, june.id]);
    // A minute before midnight in UTC is already the next day in London in summer.
    expect(await found({ entryDateFrom: '2025-06-13' })).toEqual([july.id, june.id]);
    expect(await found({ entryDateFrom: '2025-06-14' })).toEqual([july.id]);
    expect(await found({ entryDateTo: '2025-06-12' })).toEqual([]);
    expect(await found({ entryDateTo: '2025-06-13' })).toEqual([june.id]);
    expect(
      await found({ entryDateFrom: '2025-07-01T00:00:00Z', entryDateTo: '2025-07-01T00:00:00Z' }),
    ).toEqual([]);
    expect(await found({ itemType: 1 })).toEqual([july.id]);
    expect(await found({ employeeId, state: 0 })).toEqual([july.id, june.id]);
    await api.data('POST', `workitems/${june.id}/finalise`);
    expect(await found({ state: 1 })).toEqual([june.id]);
    expect(await found({ employeeId: await employee(api) })).toEqual([]);
  });

  const minute = HOUR / 60;

  it.each([
    [0, 0, 0],
    [1, 1, 25],
    [6 * minute, 1, 25],
    [6 * minute + 1, 2, 50],
    [59 * minute, 10, 250],
    [100 * HOUR, 1000, 25000],
  ])('counts %d ticks as %d units', async (durationTicks, units, total) => {
    const made = await record({ durationTicks });
    expect(made).toMatchObject({ durationTicks, units, total: { Amount: total } });
  });

  it('takes the unit of the matter, otherwise of the client, otherwise of the tenant', async () => {
    const { clientId } = await api.data('GET', `matters/${await matter(api)}`);
    await api.data('PATCH', `clients/${clientId}`, { minutesPerUnit: 15 });
    const byClient = await matter(api, { clientId });
    const byMatter = await matter(api, { clientId, minutesPerUnit: 0.5 });
    expect(await record({ matterId: byClient })).toMatchObject({ units: 4, unitDuration: 1 });
    expect(await record({ matterId: byMatter, durationTicks: minute + 1 })).toMatchObject({ units: 3 });
    expect(await record({ matterId: null })).toMatchObject({ units: 10, matterId: null });
  });

  it.each([
    ['Nearest', 8 * minute, 1],
    ['Nearest', 9 * minute, 2],
    ['Nearest', 1, 1],
    ['Down', 11 * minute, 1],
    ['Down', 1, 1],
  ])(
    'rounds %s where the tenant has that setting: %d ticks are %d units',
    async (mode, durationTicks, units) => {
      await office.cli('tenants', 'set', '--alias', api.tenant, `unitRounding=${mode}`);
      expect(await record({ durationTicks })).toMatchObject({ units });
      await office.cli('tenants', 'set', '--alias', api.tenant, 'unitRounding=Up');
    },
  );

  it('takes units and rate of the request, to the penny', async () => {
    expect(await record({ units: 1.2345, rate: { Amount: 123.4567891234, Currency: 'GBP' } })).toMatchObject({
      units: 1.2345,
      unitsOverridden: true,
      rate: { Amount: 123.4567891234, Currency: 'GBP' },
      rateSource: 'Request',
      total: { Amount: 15.24, Currency: 'GBP' },
    });
    const itemised = { itemType: 1, durationTicks: undefined, rate: { Amount: 0.335, Currency: 'GBP' } };
    expect(await record(itemised)).toMatchObject({ units: 1, durationTicks: 0, total: { Amount: 0.34 } });
    expect(await record({ ...itemised, units: 3 })).toMatchObject({ units: 3, total: { Amount: 1.01 } });
    const fixedFee = { Amount: 250_000, Currency: 'GBP' };
    expect(await record({ ...itemised, rate: fixedFee })).toMatchObject({ rate: fixedFee, total: fixedFee });
  });

  it('is valued again when something changes on which its value depends', async () => {
    const { id } = await record();
    const changed = async (body: object) => {
      const answer = await api.patch(`workitems/${id}`, body, { Prefer: 'return=representation' });
      expect(answer.status).toBe(200);
      return answer.body.data;
    };
    expect(await changed({ durationTicks: 2 * HOUR })).toMatchObject({ units: 20, total: { Amount: 500 } });
    expect(await changed({ units: 1 })).toMatchObject({ unitsOverridden: true, total: { Amount: 25 } });
    expect(await changed({ units: null })).toMatchObject({ unitsOverridden: false, units: 20 });
    expect(await changed({ rate: null })).toMatchObject({
      rateSource: 'EmployeeDefault',
      total: { Amount: 400 },
    });
    const shown = await api.data('GET', `workitems/${id}`);
    const { matterId, employeeId: whose, entryDate, durationTicks, units, rate } = shown;
    const back = { matterId, employeeId: whose, entryDate, durationTicks, units, rate };
    expect(await changed(back)).toMatchObject({ version: shown.version, rateSource: 'EmployeeDefault' });
    const poor = await employee(api);
    expectProblem(await api.patch(`workitems/${id}`, { employeeId: poor }), 422, 'rate_not_found', '/rate');
    expect(await changed({ isBillable: false })).toMatchObject({ isBillable: false, total: { Amount: 400 } });
    expect(await changed({ matterId: null })).toMatchObject({ matterId: null });
  });

  it.each<[object, string, string]>([
    [{ employeeId: undefined }, 'validation_failed', '/employeeId'],
    [{ employeeId: `employee_${UNKNOWN}` }, 'employee_not_found', '/employeeId'],
    [{ employeeId: `entity_${UNKNOWN}` }, 'validation_failed', '/employeeId'],
    [{ matterId: `matter_${UNKNOWN}` }, 'matter_not_found', '/matterId'],
    [{ matterId: 'matter_1' }, 'validation_failed', '/matterId'],
    [{ itemType: 2 }, 'validation_failed', '/itemType'],
    [{ itemType: '0' }, 'validation_failed', '/itemType'],
    [{ entryDate: undefined }, 'validation_failed', '/entryDate'],
    [{ entryDate: '2025-06-12' }, 'validation_failed', '/entryDate'],
    [{ entryDate: '2025-02-30T10:00:00Z' }, 'validation_failed', '/entryDate'],
    [{ entryDate: '2025-06-12T10:00:00+99:99' }, 'validation_failed', '/entryDate'],
    [{ durationTicks: undefined }, 'required', '/durationTicks'],
    [{ durationTicks: -1 }, 'validation_failed', '/durationTicks'],
    [{ durationTicks: 1.5 }, 'validation_failed', '/durationTicks'],
    [{ durationTicks: '1' }, 'validation_failed', '/durationTicks'],
    [{ durationTicks: 1e300 }, 'validation_failed', '/durationTicks'],
    [{ units: -1 }, 'validation_failed', '/units'],
    [{ units: 1e-7 }, 'validation_failed', '/units'],
    [
      { itemType: 1, units: 9_999_999, rate: { Amount: 99_999, Currency: 'GBP' } },
      'total_too_large',
      '/units',
    ],
    [{ rate: { Amount: 1, Currency: 'EUR' } }, 'currency_not_supported', '/rate/Currency'],
    [{ rate: { Amount: 1e-11, Currency: 'GBP' } }, 'validation_failed', '/rate/Amount'],
    [{ rate: 250 }, 'validation_failed', '/rate'],
    [{ rate: undefined, itemType: 1 }, 'rate_not_found', '/rate'],
    [{ taskTypeId: `tasktype_${UNKNOWN}` }, 'tasktype_not_found', '/taskTypeId'],
    [{ title: 'x'.repeat(2001) }, 'validation_failed', '/title'],
    [{ state: 2 }, 'validation_failed', '/state'],
  ])('refuses %j', async (fields, code, pointer) => {
    expectProblem(await api.post('workitems', item(fields)), 422, code, pointer);
  });

  it('refuses records that are not of the tenant, or deleted', async () => {
    const theirs = await employee(stranger);
    expectProblem(
      await api.post('workitems', item({ employeeId: theirs })),
      422,
      'employee_not_found',
      '/employeeId',
    );
    const away = await matter(stranger);
    expectProblem(
      await api.post('workitems', item({ matterId: away })),
      422,
      'matter_not_found',
      '/matterId',
    );
    const left = await employee(api);
    await api.delete(`employees/${left}`);
    expectProblem(
      await api.post('workitems', item({ employeeId: left })),
      422,
      'employee_not_found',
      '/employeeId',
    );
    const gone = await matter(api);
    await api.delete(`matters/${gone}`);
    expectProblem(
      await api.post('workitems', item({ matterId: gone })),
      422,
      'matter_not_found',
      '/matterId',
    );
    expectProblem(
      await api.post('workitems', item({ employeeId: await person(api) })),
      422,
      'validation_failed',
      '/employeeId',
    );
    expectProblem(
      await api.post('workitems', {
        ...item({ title: mark() }),
        rate: undefined,
        employeeId: await employee(api),
      }),
      422,
      'rate_not_found',
      '/rate',
    );
  });
});
