import type { ApiClient } from '../support/client';
import { Office } from './office';
import { behavesAsRecords } from './record-behaviour';
import { employee, hour, mark, matter, person } from './records';
import { expectProblem } from './refusals';

let office: Office;
let api: ApiClient;
let stranger: ApiClient;
let colleague: ApiClient;

beforeAll(async () => {
  office = await Office.join();
  [api, stranger] = [await office.tenant(), await office.tenant()];
  colleague = await office.caller(api.tenant, await office.integration(api.tenant));
});
afterAll(() => office.close());

const UNKNOWN = '0'.repeat(32);

describe('employees', () => {
  behavesAsRecords(
    {
      path: 'employees',
      kind: 'employee',
      money: ['defaultRate'],
      optional: {
        field: 'defaultRate',
        first: { Amount: 200, Currency: 'GBP' },
        second: { Amount: 210.5, Currency: 'GBP' },
      },
      required: 'entityId',
      sorts: ['sortName', 'initials', 'createdOn', 'updatedOn'],
      actions: ['activate', 'deactivate'],
      badFilters: ['state=3', 'isFeeEarner=1', `divisionId=matter_${UNKNOWN}`, 'entityId=x'],
    },
    () => ({ api, stranger, colleague, body: async (keyword) => ({ entityId: await person(api, keyword) }) }),
  );

  it('is an active fee earner unless told otherwise, and shows person and division on GET', async () => {
    const entityId = await person(api, 'Fee', 'Bob');
    const divisionId = await api.create('divisions', { name: 'Family' });
    const body = { entityId, divisionId, initials: 'BF', jobTitle: 'Associate', billingGrade: 'B' };
    const id = await api.create('employees', body);
    expect(await api.data('GET', `employees/${id}`)).toMatchObject({
      ...body,
      state: 1,
      stateName: 'Active',
      isFeeEarner: true,
      defaultRate: null,
      sortName: 'Fee, Bob',
      fullName: 'Bob Fee',
      email: null,
      divisionName: 'Family',
    });
    const found = async (query: object) => (await api.rows('employees', query as never)).map((row) => row.id);
    expect(await found({ divisionId })).toEqual([id]);
    expect(await found({ entityId })).toEqual([id]);
    expect(await found({ entityId, isFeeEarner: false })).toEqual([]);
    await api.data('PATCH', `employees/${id}`, { isFeeEarner: false });
    expect(await found({ entityId, isFeeEarner: false })).toEqual([id]);
    await api.data('PATCH', `employees/${id}`, { isFeeEarner: null });
    expect(await found({ entityId, isFeeEarner: true })).toEqual([id]);
  });

  it('is the only employee of its entity', async () => {
    const entityId = await person(api);
    const id = await api.create('employees', { entityId });
    const refused = await api.post('employees', { entityId });
    expectProblem(refused, 409, 'entity_employee_taken');
    expect(refused.body.detail).toContain(id);
    const patched = await api.patch(`employees/${id}`, { entityId: await person(api) });
    expectProblem(patched, 422, 'entity_fixed', '/entityId');
    expect((await api.post('clients', { entityId })).status).toBe(201);
  });

  it('takes no new work while inactive, and keeps the work that it has', async () => {
    const id = await employee(api);
    const matterId = await matter(api, { responsiblePersonId: id });
    const item = await api.create('workitems', hour(matterId, id));
    const inactive = { state: 2, stateName: 'Inactive', version: 2 };
    expect(await api.data('POST', `employees/${id}/deactivate`)).toMatchObject(inactive);
    expect(await api.data('POST', `employees/${id}/deactivate`)).toMatchObject(inactive);
    expectProblem(await api.post('workitems', hour(matterId, id)), 422, 'employee_not_active', '/employeeId');
    expectProblem(
      await api.patch(`matters/${matterId}`, { actingPersonId: id }),
      422,
      'employee_not_active',
      '/actingPersonId',
    );
    expect((await api.patch(`matters/${matterId}`, { responsiblePersonId: id, title: mark() })).status).toBe(
      200,
    );
    expect((await api.post(`workitems/${item}/unfinalise`)).status).toBe(200);
    expect((await api.patch(`workitems/${item}`, { units: 3 })).status).toBe(200);
    expect(await api.data('POST', `employees/${id}/activate`)).toMatchObject({ state: 1, version: 3 });
    expect((await api.post('workitems', hour(matterId, id))).status).toBe(201);
  });

  it('is not deleted while matters or work name it', async () => {
    const id = await employee(api);
    const matterId = await matter(api, { assistingPersonId: id });
    expectProblem(await api.delete(`employees/${id}`), 409, 'in_use');
    await api.data('PATCH', `matters/${matterId}`, { assistingPersonId: null });
    const item = await api.create('workitems', hour(matterId, id));
    expectProblem(await api.delete(`employees/${id}`), 409, 'in_use');
    await api.data('POST', `workitems/${item}/unfinalise`);
    await api.delete(`workitems/${item}`);
    expect((await api.delete(`employees/${id}`)).status).toBe(204);
  });

  it.each([
    ['entityId', () => undefined, 'validation_failed', '/entityId'],
    ['entityId', () => `entity_${UNKNOWN}`, 'entity_not_found', '/entityId'],
    ['entityId', () => person(stranger), 'entity_not_found', '/entityId'],
    ['divisionId', () => `division_${UNKNOWN}`, 'division_not_found', '/divisionId'],
    ['divisionId', () => stranger.create('divisions', { name: mark() }), 'division_not_found', '/divisionId'],
    ['divisionId', () => `employee_${UNKNOWN}`, 'validation_failed', '/divisionId'],
    ['defaultRate', () => 200, 'validation_failed', '/defaultRate'],
    ['defaultRate', () => [], 'validation_failed', '/defaultRate'],
    ['defaultRate', () => ({ Amount: 200 }), 'validation_failed', '/defaultRate/Currency'],
    ['defaultRate', () => ({ Amount: -1, Currency: 'GBP' }), 'validation_failed', '/defaultRate/Amount'],
    ['defaultRate', () => ({ Amount: '1', Currency: 'GBP' }), 'validation_failed', '/defaultRate/Amount'],
    ['defaultRate', () => ({ amount: 1, Currency: 'GBP' }), 'validation_failed', '/defaultRate/amount'],
    [
      'defaultRate',
      () => ({ Amount: 200, Currency: 'EUR' }),
      'currency_not_supported',
      '/defaultRate/Currency',
    ],
    ['isFeeEarner', () => 'yes', 'validation_failed', '/isFeeEarner'],
    ['initials', () => 'x'.repeat(21), 'validation_failed', '/initials'],
  ])('refuses a wrong %s (%#)', async (field, value, code, pointer) => {
    const body = { entityId: await person(api), [field]: await value() };
    expectProblem(await api.post('employees', body), 422, code, pointer);
  });

  it('refuses a division that is not active', async () => {
    const divisionId = await api.create('divisions', { name: mark() });
    await api.data('POST', `divisions/${divisionId}/deactivate`);
    const body = { entityId: await person(api), divisionId };
    expectProblem(await api.post('employees', body), 422, 'division_not_active', '/divisionId');
  });
});
