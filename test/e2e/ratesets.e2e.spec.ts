import type { ApiClient } from '../support/client';
import { Office } from './office';
import { behavesAsRecords } from './record-behaviour';
import { activeClient, employee, mark, matter } from './records';
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
const gbp = (Amount: number) => ({ Amount, Currency: 'GBP' });
const make = (fields: object = {}) =>
  api.data('POST', 'ratesets', { name: mark(), currency: 'GBP', ...fields });

describe('ratesets', () => {
  behavesAsRecords(
    {
      path: 'ratesets',
      kind: 'rateset',
      optional: { field: 'from', first: '2025-01-01', second: '2025-04-06' },
      required: 'name',
      sorts: ['name', 'from', 'createdOn', 'updatedOn'],
      actions: [],
      badFilters: ['isDefault=1'],
    },
    () => ({
      api,
      stranger,
      colleague,
      body: async (keyword) => ({ name: `Rates ${keyword}`, currency: 'GBP' }),
    }),
  );

  it('holds rates for work of all keys, and shows every key', async () => {
    const keys = {
      employeeId: await employee(api),
      taskTypeId: await api.create('tasktypes', { code: mark(), name: 'Drafting' }),
      matterTypeId: await api.create('mattertypes', { name: mark() }),
      billingGrade: 'B',
      jobTitle: 'Associate',
    };
    const none = {
      employeeId: null,
      taskTypeId: null,
      matterTypeId: null,
      billingGrade: null,
      jobTitle: null,
    };
    const entries = [
      { rate: gbp(250.5), per: 'Hour', ...keys },
      { rate: gbp(80), per: 'Unit', ...none },
    ];
    const set = await make({ entries: [entries[0], { rate: gbp(80), per: 'Unit' }] });
    expect(set.entries).toEqual(entries);
    expect((await api.data('GET', `ratesets/${set.id}`)).entries).toEqual(entries);
    const [first] = await api.rows('ratesets', { ids: set.id });
    expect(first.entries).toEqual(entries);
    for (const [area, id] of [
      ['employees', keys.employeeId] as const,
      ['tasktypes', keys.taskTypeId] as const,
      ['mattertypes', keys.matterTypeId] as const,
    ])
      expectProblem(await api.delete(`${area}/${id}`), 409, 'in_use');
    const patched = await api.data('PATCH', `ratesets/${set.id}`, { entries: [{ rate: gbp(1) }] });
    expect(patched).toBe(set.id);
    expect((await api.data('GET', `ratesets/${set.id}`)).entries).toEqual([
      { rate: gbp(1), per: 'Hour', ...none },
    ]);
    expect((await api.delete(`tasktypes/${keys.taskTypeId}`)).status).toBe(204);
    await api.data('PATCH', `ratesets/${set.id}`, { entries: null });
    expect((await api.data('GET', `ratesets/${set.id}`)).entries).toEqual([]);
  });

  it('refuses entries for the same work, and names both', async () => {
    const entry = { rate: gbp(1), billingGrade: 'A' };
    const entries = [
      entry,
      { ...entry, per: 'Unit' },
      { rate: gbp(2) },
      { ...entry, rate: gbp(3), per: 'Hour' },
    ];
    const answer = await api.post('ratesets', { name: mark(), currency: 'GBP', entries });
    expectProblem(answer, 422, 'rate_entries_equal', '/entries/0');
    expectProblem(answer, 422, 'rate_entries_equal', '/entries/3');
    expect(answer.body.detail).toMatch(/entries\/0 and entries\/3/);
  });

  it.each([
    ['currency_not_supported', '/currency', { currency: 'AUD' }],
    [
      'currency_not_supported',
      '/entries/0/rate/Currency',
      { entries: [{ rate: { Amount: 1, Currency: 'AUD' } }] },
    ],
    ['validation_failed', '/currency', { currency: 'Pound' }],
    ['validation_failed', '/entries/0/rate', { entries: [{ billingGrade: 'A' }] }],
    ['validation_failed', '/entries/0/per', { entries: [{ rate: gbp(1), per: 'Day' }] }],
    ['validation_failed', '/entries/0/billingGrade', { entries: [{ rate: gbp(1), billingGrade: ' ' }] }],
    ['validation_failed', '/entries/0/colour', { entries: [{ rate: gbp(1), colour: 1 }] }],
    ['validation_failed', '/entries', { entries: Array(1001).fill({ rate: gbp(1) }) }],
    [
      'employee_not_found',
      '/entries/0/employeeId',
      { entries: [{ rate: gbp(1), employeeId: `employee_${UNKNOWN}` }] },
    ],
    ['days_reversed', '/to', { from: '2025-02-01', to: '2025-01-31' }],
  ])('refuses %s at %s', async (code, pointer, fields) => {
    expectProblem(await api.post('ratesets', { name: 'x', currency: 'GBP', ...fields }), 422, code, pointer);
  });

  it('takes only active records into its entries, but keeps those that have become inactive', async () => {
    const employeeId = await employee(api);
    const set = await make({ entries: [{ rate: gbp(1), employeeId }] });
    await api.data('POST', `employees/${employeeId}/deactivate`);
    await api.data('PATCH', `ratesets/${set.id}`, { entries: [{ rate: gbp(2), employeeId }] });
    const other = await make();
    const refused = await api.patch(`ratesets/${other.id}`, { entries: [{ rate: gbp(1), employeeId }] });
    expectProblem(refused, 422, 'employee_not_active', '/entries/0/employeeId');
  });

  it('takes a thousand entries', async () => {
    const entries = Array.from({ length: 1000 }, (_, at) => ({
      rate: gbp(at + 0.25),
      billingGrade: `Grade ${at}`,
      jobTitle: `Title ${at}`,
    }));
    const { id } = await make({ entries });
    const read = await api.data('GET', `ratesets/${id}`);
    expect(read.entries).toHaveLength(1000);
    expect(read.entries[999]).toMatchObject(entries[999]);
  });

  it('has one default in the firm, which is never deleted', async () => {
    const one = await make({ isDefault: true });
    const two = await make();
    await api.data('PATCH', `ratesets/${two.id}`, { isDefault: true });
    const defaults = await api.rows('ratesets', { isDefault: true });
    expect(defaults.map(({ id }) => id)).toEqual([two.id]);
    expect(await api.data('GET', `ratesets/${one.id}`)).toMatchObject({ isDefault: false, version: 2 });
    expect((await api.rows('ratesets', { isDefault: false })).map(({ id }) => id)).toContain(one.id);
    expectProblem(await api.patch(`ratesets/${two.id}`, { isDefault: false }), 409, 'default_rate_set');
    expectProblem(await api.patch(`ratesets/${two.id}`, { isDefault: null }), 409, 'default_rate_set');
    expectProblem(await api.delete(`ratesets/${two.id}`), 409, 'default_rate_set');
    const made = await Promise.all([1, 2, 3].map(() => make({ isDefault: true })));
    const left = await api.rows('ratesets', { isDefault: true });
    expect(left).toHaveLength(1);
    expect(made.map(({ id }) => id)).toContain(left[0].id);
    expect((await api.delete(`ratesets/${one.id}`)).status).toBe(204);
    const wrong = await api.patch(`ratesets/${two.id}`, { isDefault: true }, { 'If-Match': '"99"' });
    expectProblem(wrong, 412, 'version_mismatch');
  });

  it('can be copied with other rates and other days', async () => {
    const entries = [
      { rate: gbp(100), billingGrade: 'A' },
      { rate: gbp(33.33), per: 'Unit' },
    ];
    const set = await make({ entries, from: '2025-01-01', to: '2025-12-31', isDefault: true });
    const answer = await api.post(`ratesets/${set.id}/copy`, {
      name: 'Next year',
      from: '2026-01-01',
      percent: 5,
    });
    expect(answer.status).toBe(201);
    const copy = answer.body.data;
    expect(answer.headers.get('location')).toBe(`/${api.tenant}/api/v1/ratesets/${copy.id}`);
    expect(copy).toMatchObject({
      name: 'Next year',
      currency: 'GBP',
      isDefault: false,
      from: '2026-01-01',
      to: null,
      version: 1,
      entries: [
        { rate: gbp(105), per: 'Hour', billingGrade: 'A' },
        { rate: gbp(35), per: 'Unit', billingGrade: null },
      ],
    });
    expect(await api.data('GET', `ratesets/${copy.id}`)).toMatchObject({ name: 'Next year' });
    expect(await api.data('GET', `ratesets/${set.id}`)).toMatchObject({ isDefault: true, version: 1 });
    const same = await api.data('POST', `ratesets/${set.id}/copy`, { name: 'Same' });
    expect(same.entries).toEqual(set.entries);
    const lower = await api.data('POST', `ratesets/${set.id}/copy`, { name: 'Lower', percent: -10 });
    expect(lower.entries.map(({ rate }: { rate: object }) => rate)).toEqual([gbp(90), gbp(30)]);
    const key = { 'Idempotency-Key': mark() };
    const [once, again] = [
      await api.post(`ratesets/${set.id}/copy`, { name: 'Once' }, key),
      await api.post(`ratesets/${set.id}/copy`, { name: 'Once' }, key),
    ];
    expect(again.body).toEqual(once.body);
    const refuse = async (body: object, code: string, pointer: string) =>
      expectProblem(await api.post(`ratesets/${set.id}/copy`, body), 422, code, pointer);
    await refuse({}, 'validation_failed', '/name');
    await refuse({ name: 'x', percent: -101 }, 'validation_failed', '/percent');
    const dear = await make({ entries: [{ rate: gbp(999_999_999) }] });
    const dearer = await api.post(`ratesets/${dear.id}/copy`, { name: 'x', percent: 1 });
    expectProblem(dearer, 422, 'rate_too_large', '/percent');
    await refuse({ name: 'x', from: '2026-02-01', to: '2026-01-01' }, 'days_reversed', '/to');
    expectProblem(await api.post(`ratesets/rateset_${UNKNOWN}/copy`, { name: 'x' }), 404, 'not_found');
    expectProblem(await stranger.post(`ratesets/${set.id}/copy`, { name: 'x' }), 404, 'not_found');
  });

  it('can be copied only at the version that was seen', async () => {
    const set = await make();
    const copy = (version: number) =>
      api.post(`ratesets/${set.id}/copy`, { name: mark() }, { 'If-Match': `"${version}"` });
    expectProblem(await copy(set.version + 1), 412, 'version_mismatch');
    expect((await copy(set.version)).status).toBe(201);
  });

  it('can be given to clients and matters, and is kept while they have it', async () => {
    const set = await make();
    const clientId = await activeClient(api);
    await api.data('PATCH', `clients/${clientId}`, { defaultRateSetId: set.id });
    const matterId = await matter(api, { rateSetId: set.id });
    expect(await api.data('GET', `clients/${clientId}`)).toMatchObject({ defaultRateSetId: set.id });
    expect(await api.data('GET', `matters/${matterId}`)).toMatchObject({ rateSetId: set.id });
    expectProblem(await api.delete(`ratesets/${set.id}`), 409, 'in_use');
    await api.data('PATCH', `clients/${clientId}`, { defaultRateSetId: null });
    await api.data('PATCH', `matters/${matterId}`, { rateSetId: null });
    expect((await api.delete(`ratesets/${set.id}`)).status).toBe(204);
    for (const wrong of [set.id, `rateset_${UNKNOWN}`]) {
      const client = await api.patch(`clients/${clientId}`, { defaultRateSetId: wrong });
      expectProblem(client, 422, 'rateset_not_found', '/defaultRateSetId');
      const answer = await api.patch(`matters/${matterId}`, { rateSetId: wrong });
      expectProblem(answer, 422, 'rateset_not_found', '/rateSetId');
    }
  });
});
