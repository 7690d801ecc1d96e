import type { ApiClient } from '../support/client';
import { Office } from './office';
import { behavesAsRecords } from './record-behaviour';
import { activeClient, mark, matter, newClient, person } from './records';
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

describe('clients', () => {
  behavesAsRecords(
    {
      path: 'clients',
      kind: 'client',
      optional: { field: 'paymentTermsDays', first: 14, second: 60 },
      required: 'entityId',
      sorts: ['clientNumber', 'sortName', 'createdOn', 'updatedOn'],
      actions: ['activate', 'deactivate'],
      badFilters: ['state=3', 'state=New', `entityId=client_${'0'.repeat(32)}`, 'entityId=1'],
    },
    () => ({ api, stranger, colleague, body: async (keyword) => ({ entityId: await person(api, keyword) }) }),
  );

  it('takes the next number, or the one given, and the two never collide', async () => {
    const numbered = async (fields: object = {}) => {
      const body = { entityId: await person(stranger), ...fields };
      return stranger.post('clients', body);
    };
    expect((await numbered()).body.data.clientNumber).toBe('1');
    expect((await numbered({ clientNumber: '3' })).body.data.clientNumber).toBe('3');
    expect((await numbered()).body.data.clientNumber).toBe('4');
    expect((await numbered({ clientNumber: 'C/2024/001' })).body.data.clientNumber).toBe('C/2024/001');
    expectProblem(await numbered({ clientNumber: 'C/2024/001' }), 409, 'client_number_taken');
    expectProblem(await numbered({ clientNumber: '' }), 422, 'validation_failed', '/clientNumber');
    const last = await numbered();
    expect(last.body.data.clientNumber).toBe('5');
    expectProblem(
      await stranger.patch(`clients/${last.body.data.id}`, { clientNumber: '4' }),
      409,
      'client_number_taken',
    );
    await stranger.data('PATCH', `clients/${last.body.data.id}`, { clientNumber: '9' });
    expect((await numbered()).body.data.clientNumber).toBe('10');
    for (const clientNumber of ['999999999999999', '1000000000000000']) await numbered({ clientNumber });
    expect((await numbered()).body.data.clientNumber).toBe('1000000000000001');
    const [found] = await stranger.rows('clients', { keywords: '2024 001' });
    expect(found.clientNumber).toBe('C/2024/001');
  });

  it('shows its entity on GET, as it is now', async () => {
    const addresses = [{ street: '12 Mill Lane', city: 'Leeds', postcode: 'LS1 4AP' }];
    const individual = { entityType: 'Individual', firstName: 'Ada', lastName: 'Okafor', addresses };
    const entityId = await api.create('entities', individual);
    const contact = await person(api, 'Contact', 'Carl');
    const id = await api.create('clients', { entityId, billingContactId: contact });
    expect(await api.data('GET', `clients/${id}`)).toMatchObject({
      entityId,
      sortName: 'Okafor, Ada',
      fullName: 'Ada Okafor',
      streetAddress: '12 Mill Lane, Leeds, LS1 4AP',
      currency: 'GBP',
      billingContactSortName: 'Contact, Carl',
      state: 0,
      stateName: 'New',
      taxCode: null,
      minutesPerUnit: null,
    });
    await api.data('PATCH', `entities/${entityId}`, { lastName: 'Mill', addresses: null });
    const [row] = await api.rows('clients', { entityId });
    expect(row).toMatchObject({ id, sortName: 'Mill, Ada', streetAddress: null });
  });

  it("shows its tax code's text on GET, as it is now", async () => {
    const code = { code: 'CLI', name: 'Exempt', category: 'Exempt' };
    const taxCodeId = await api.create('taxcodes', code);
    const made = await api.data('POST', 'clients', { entityId: await person(api), taxCodeId });
    expect(made).toMatchObject({ taxCodeId });
    expect(await api.data('GET', `clients/${made.id}`)).toMatchObject({ taxCodeId, taxCode: 'CLI' });
    await api.data('PATCH', `taxcodes/${taxCodeId}`, { code: 'CLI2' });
    expect(await api.rows('clients', { ids: made.id })).toMatchObject([{ taxCode: 'CLI2' }]);
    await api.data('PATCH', `clients/${made.id}`, { taxCodeId: null });
    expect(await api.data('GET', `clients/${made.id}`)).toMatchObject({ taxCodeId: null, taxCode: null });
    await api.delete(`taxcodes/${taxCodeId}`);
    const refused = await api.patch(`clients/${made.id}`, { taxCodeId });
    expectProblem(refused, 422, 'taxcode_not_found', '/taxCodeId');
  });

  it('is the only client of its entity', async () => {
    const entityId = await person(api);
    const id = await api.create('clients', { entityId });
    const refused = await api.post('clients', { entityId });
    expectProblem(refused, 409, 'entity_client_taken');
    expect(refused.body.detail).toContain(id);
    expectProblem(
      await api.patch(`clients/${id}`, { entityId: await person(api) }),
      422,
      'entity_fixed',
      '/entityId',
    );
    expect((await api.patch(`clients/${id}`, { entityId })).headers.get('etag')).toBe('"1"');
    await api.delete(`clients/${id}`);
    expect((await api.post('clients', { entityId })).status).toBe(201);
  });

  it('is activated and deactivated, with one event each', async () => {
    const id = await newClient(api);
    expectProblem(await api.post(`clients/${id}/deactivate`), 409, 'client_not_active');
    const active = { state: 1, stateName: 'Active', version: 2 };
    expect(await api.data('POST', `clients/${id}/activate`)).toMatchObject(active);
    const again = await api.post(`clients/${id}/activate`, undefined, { 'Content-Type': 'application/json' });
    expect(again.body.data).toMatchObject(active);
    expect(again.headers.get('x-event-position')).toBeNull();
    const inactive = { state: 2, stateName: 'Inactive', version: 3 };
    expect(await api.data('POST', `clients/${id}/deactivate`)).toMatchObject(inactive);
    expect(await api.data('POST', `clients/${id}/deactivate`)).toMatchObject(inactive);
    expect((await api.rows('clients', { state: 2 })).map((row) => row.id)).toContain(id);
    expect(await api.data('POST', `clients/${id}/activate`)).toMatchObject({ state: 1, version: 4 });
  });

  it('repeats an action safely', async () => {
    const id = await newClient(api);
    const key = { 'Idempotency-Key': mark() };
    const first = await api.post(`clients/${id}/activate`, undefined, key);
    await api.data('POST', `clients/${id}/deactivate`);
    const again = await api.post(`clients/${id}/activate`, undefined, key);
    expect(again.body).toEqual(first.body);
    expect(again.headers.get('idempotent-replayed')).toBe('true');
    expect(await api.data('GET', `clients/${id}`)).toMatchObject({ stateName: 'Inactive' });
    expectProblem(await api.post(`clients/${id}/deactivate`, undefined, key), 422, 'idempotency_key_reused');
  });

  it('stays active while it has open matters, and is never deleted while it has any', async () => {
    const id = await activeClient(api);
    const matterId = await matter(api, { clientId: id });
    const refused = await api.post(`clients/${id}/deactivate`);
    expectProblem(refused, 409, 'open_matters');
    expect(refused.body.detail).toContain('1 open matter');
    expectProblem(await api.delete(`clients/${id}`), 409, 'in_use');
    await api.data('POST', `matters/${matterId}/close`);
    expect(await api.data('POST', `clients/${id}/deactivate`)).toMatchObject({ stateName: 'Inactive' });
    expectProblem(await api.post(`matters/${matterId}/reopen`), 409, 'client_not_active');
    expectProblem(await api.delete(`clients/${id}`), 409, 'in_use');
    await api.delete(`matters/${matterId}`);
    expect((await api.delete(`clients/${id}`)).status).toBe(204);
  });

  it.each([
    ['entityId', () => undefined, 'validation_failed'],
    ['entityId', () => 'nonsense', 'validation_failed'],
    ['entityId', () => `client_${'0'.repeat(32)}`, 'validation_failed'],
    ['entityId', () => `entity_${'0'.repeat(32)}`, 'entity_not_found'],
    ['entityId', () => person(stranger), 'entity_not_found'],
    ['billingContactId', () => person(stranger), 'entity_not_found'],
    ['taxCodeId', () => `taxcode_${'0'.repeat(32)}`, 'taxcode_not_found'],
    ['defaultRateSetId', () => `rateset_${'0'.repeat(32)}`, 'rateset_not_found'],
    ['paymentTermsDays', () => -1, 'validation_failed'],
    ['paymentTermsDays', () => 366, 'validation_failed'],
    ['paymentTermsDays', () => 1.5, 'validation_failed'],
    ['paymentTermsDays', () => '14', 'validation_failed'],
    ['minutesPerUnit', () => 0, 'validation_failed'],
    ['minutesPerUnit', () => 0.00001, 'validation_failed'],
    ['state', () => 1, 'validation_failed'],
  ])('refuses a wrong %s (%#)', async (field, value, code) => {
    const body = { entityId: await person(api), [field]: await value() };
    expectProblem(await api.post('clients', body), 422, code, `/${field}`);
  });

  it('refuses a deleted entity', async () => {
    const entityId = await person(api);
    await api.delete(`entities/${entityId}`);
    expectProblem(await api.post('clients', { entityId }), 422, 'entity_not_found', '/entityId');
  });

  it('says which kind an id must be when it is of another kind', async () => {
    const { body } = await api.post('clients', { entityId: `matter_${'0'.repeat(32)}` });
    expect(body.errors).toEqual([
      {
        pointer: '/entityId',
        code: 'wrong_kind',
        message: expect.stringMatching(/entity.*matter/),
      },
    ]);
  });
});
