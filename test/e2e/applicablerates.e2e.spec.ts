import type { ApiClient } from '../support/client';
import { Office } from './office';
import { behavesAsRecords } from './record-behaviour';
import { activeClient, employee, mark, matter, newClient } from './records';
import { expectProblem } from './refusals';

let office: Office;
let api: ApiClient;
let stranger: ApiClient;
let colleague: ApiClient;
let clientId: string;
let matterId: string;

beforeAll(async () => {
  office = await Office.join();
  [api, stranger] = [await office.tenant(), await office.tenant()];
  colleague = await office.caller(api.tenant, await office.integration(api.tenant));
  clientId = await activeClient(api);
  matterId = await matter(api, { clientId });
});
afterAll(() => office.close());

const UNKNOWN = '0'.repeat(32);
const gbp = (Amount: number) => ({ Amount, Currency: 'GBP' });
/** A rate for a billing grade of its own, so that it overlaps no other rate. */
const body = (fields: object = {}) => ({
  scope: 'Matter',
  scopeId: matterId,
  rate: gbp(200),
  billingGrade: mark(),
  effectiveFrom: '2025-01-01',
  ...fields,
});
const make = (fields: object = {}) => api.data('POST', 'applicablerates', body(fields));

describe('applicablerates', () => {
  let made = 0;
  behavesAsRecords(
    {
      path: 'applicablerates',
      kind: 'applicablerate',
      money: ['rate'],
      optional: { field: 'effectiveTo', first: '2025-06-30', second: '2025-12-31' },
      required: 'effectiveFrom',
      sorts: ['effectiveFrom', 'createdOn', 'updatedOn'],
      actions: [],
      badFilters: ['scope=Firm', 'matterId=x', `clientId=matter_${UNKNOWN}`, 'employeeId=1', 'taskTypeId=1'],
    },
    () => ({
      api,
      stranger,
      colleague,
      body: async (keyword) => body({ billingGrade: `${keyword} ${++made}` }),
    }),
  );

  it('is for a matter or a client, and shows to what it applies', async () => {
    const employeeId = await employee(api);
    const taskTypeId = await api.create('tasktypes', { code: mark(), name: 'Drafting' });
    const keys = { employeeId, taskTypeId, billingGrade: 'B' };
    const one = await make({ ...keys, per: 'Unit', effectiveTo: '2025-12-31' });
    const fields = {
      scope: 'Matter',
      scopeId: matterId,
      rate: gbp(200),
      per: 'Unit',
      ...keys,
      effectiveFrom: '2025-01-01',
      effectiveTo: '2025-12-31',
    };
    expect(one).toMatchObject(fields);
    const { matterNumber } = await api.data('GET', `matters/${matterId}`);
    expect(await api.data('GET', `applicablerates/${one.id}`)).toMatchObject({
      ...fields,
      scopeNumber: matterNumber,
      employeeSortName: expect.stringContaining('Eve'),
      taskTypeName: 'Drafting',
    });
    const other = await make({ scope: 'Client', scopeId: clientId });
    expect(other).toMatchObject({ scope: 'Client', scopeId: clientId, per: 'Hour', employeeId: null });
    const { clientNumber } = await api.data('GET', `clients/${clientId}`);
    expect((await api.data('GET', `applicablerates/${other.id}`)).scopeNumber).toBe(clientNumber);
    const found = async (query: Record<string, string>) =>
      (await api.rows('applicablerates', { ids: `${one.id},${other.id}`, ...query })).map(({ id }) => id);
    expect(await found({ scope: 'Matter' })).toEqual([one.id]);
    expect(await found({ scope: 'Client' })).toEqual([other.id]);
    expect(await found({ matterId })).toEqual([one.id]);
    expect(await found({ clientId })).toEqual([other.id]);
    expect(await found({ employeeId })).toEqual([one.id]);
    expect(await found({ taskTypeId })).toEqual([one.id]);
    for (const [area, id] of Object.entries({ employees: employeeId, tasktypes: taskTypeId }))
      expectProblem(await api.delete(`${area}/${id}`), 409, 'in_use');
    const clearing = { billingGrade: null, employeeId: null, taskTypeId: null, per: null, effectiveTo: null };
    await api.data('PATCH', `applicablerates/${one.id}`, { ...clearing, rate: gbp(1) });
    const after = await api.data('GET', `applicablerates/${one.id}`);
    expect(after).toMatchObject({ ...clearing, per: 'Hour', rate: gbp(1) });
    await api.delete(`applicablerates/${one.id}`);
  });

  it.each([
    ['validation_failed', '/scope', { scope: 'Firm' }],
    ['validation_failed', '/scopeId', { scopeId: 'x' }],
    ['validation_failed', '/scopeId', { scopeId: null }],
    ['validation_failed', '/scopeId', { scope: 'Client' }],
    ['validation_failed', '/scopeId', { scopeId: `role_${UNKNOWN}` }],
    ['validation_failed', '/rate', { rate: null }],
    ['validation_failed', '/effectiveFrom', { effectiveFrom: '2025-02-30' }],
    ['matter_not_found', '/scopeId', { scopeId: `matter_${UNKNOWN}` }],
    ['client_not_found', '/scopeId', { scope: 'Client', scopeId: `client_${UNKNOWN}` }],
    ['employee_not_found', '/employeeId', { employeeId: `employee_${UNKNOWN}` }],
    ['tasktype_not_found', '/taskTypeId', { taskTypeId: `tasktype_${UNKNOWN}` }],
    ['currency_not_supported', '/rate/Currency', { rate: { Amount: 1, Currency: 'AUD' } }],
    ['days_reversed', '/effectiveTo', { effectiveTo: '2024-12-31' }],
  ])('refuses %s at %s', async (code, pointer, fields) => {
    expectProblem(await api.post('applicablerates', body(fields)), 422, code, pointer);
  });

  it('says which kind of id the scope needs', async () => {
    const { errors } = (await api.post('applicablerates', body({ scope: 'Client' }))).body;
    expect(errors).toEqual([
      { pointer: '/scopeId', code: 'wrong_kind', message: expect.stringContaining('client') },
    ]);
  });

  it('takes open matters, active clients, employees and task types only', async () => {
    const closed = await matter(api);
    await api.data('POST', `matters/${closed}/close`);
    const refuse = async (fields: object, code: string, pointer: string) =>
      expectProblem(await api.post('applicablerates', body(fields)), 422, code, pointer);
    await refuse({ scopeId: closed }, 'matter_not_open', '/scopeId');
    await refuse({ scope: 'Client', scopeId: await newClient(api) }, 'client_not_active', '/scopeId');
    const employeeId = await employee(api);
    await api.data('POST', `employees/${employeeId}/deactivate`);
    await refuse({ employeeId }, 'employee_not_active', '/employeeId');
    const taskTypeId = await api.create('tasktypes', { code: mark(), name: 'Old' });
    await api.data('POST', `tasktypes/${taskTypeId}/deactivate`);
    await refuse({ taskTypeId }, 'tasktype_not_active', '/taskTypeId');
  });

  it('can never move to another matter or client', async () => {
    const { id } = await make();
    const elsewhere = { scopeId: await matter(api) };
    expectProblem(await api.patch(`applicablerates/${id}`, elsewhere), 422, 'scope_fixed', '/scopeId');
    const other = { scope: 'Client', scopeId: clientId };
    expectProblem(await api.patch(`applicablerates/${id}`, other), 422, 'scope_fixed', '/scope');
    await api.data('PATCH', `applicablerates/${id}`, { scope: 'Matter', scopeId: matterId });
  });

  it('overlaps no other rate of its scope and keys', async () => {
    const employeeId = await employee(api);
    const grade = { billingGrade: mark(), employeeId };
    const one = await make({ ...grade, effectiveTo: '2025-06-30' });
    const clash = await api.post('applicablerates', body({ ...grade, effectiveFrom: '2025-06-30' }));
    expectProblem(clash, 409, 'applicable_rate_overlap');
    expect(clash.body.detail).toContain(one.id);
    const next = await make({ ...grade, effectiveFrom: '2025-07-01' });
    for (const beside of [
      { per: 'Unit' },
      { employeeId: null },
      { billingGrade: null },
      { scope: 'Client', scopeId: clientId },
    ])
      await make({ ...grade, ...beside });
    for (const [id, change] of [
      [one.id, { effectiveTo: null }] as const,
      [one.id, { effectiveTo: '2025-07-01' }] as const,
      [next.id, { effectiveFrom: '2025-06-30' }] as const,
    ]) {
      const widened = await api.patch(`applicablerates/${id}`, change);
      expectProblem(widened, 409, 'applicable_rate_overlap');
    }
    await api.data('PATCH', `applicablerates/${one.id}`, { rate: gbp(210) });
    expect((await api.delete(`applicablerates/${next.id}`)).status).toBe(204);
    await api.data('PATCH', `applicablerates/${one.id}`, { effectiveTo: null });
    const renamed = await make({ ...grade, billingGrade: mark() });
    expectProblem(await api.patch(`applicablerates/${renamed.id}`, grade), 409, 'applicable_rate_overlap');
  });

  it('is written only once when several that overlap arrive at once', async () => {
    for (let round = 0; round < 5; round++) {
      const same = body({ scopeId: await matter(api) });
      const answers = await Promise.all([1, 2, 3, 4].map(() => api.post('applicablerates', same)));
      expect(answers.map(({ status }) => status).sort()).toEqual([201, 409, 409, 409]);
      for (const answer of answers.filter(({ status }) => status === 409))
        expectProblem(answer, 409, 'applicable_rate_overlap');
    }
    const one = await make({ effectiveTo: '2025-03-31' });
    const { billingGrade } = one;
    const two = await make({ billingGrade, effectiveFrom: '2025-06-01' });
    const both = await Promise.all([
      api.patch(`applicablerates/${one.id}`, { effectiveTo: '2025-05-15' }),
      api.patch(`applicablerates/${two.id}`, { effectiveFrom: '2025-05-01' }),
    ]);
    expect(both.map(({ status }) => status).sort()).toEqual([200, 409]);
  });

  it('keeps its matter from being deleted', async () => {
    const id = await matter(api);
    const rate = await make({ scopeId: id });
    expectProblem(await api.delete(`matters/${id}`), 409, 'in_use');
    await api.delete(`applicablerates/${rate.id}`);
    expect((await api.delete(`matters/${id}`)).status).toBe(204);
  });
});
