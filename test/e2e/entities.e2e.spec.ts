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

const individual = (fields: object = {}) => ({ entityType: 'Individual', lastName: mark(), ...fields });

describe('entities', () => {
  behavesAsRecords(
    {
      path: 'entities',
      kind: 'entity',
      optional: { field: 'phones', first: ['1', '2'], second: ['3'], cleared: [] },
      required: 'lastName',
      sorts: ['sortName', 'createdOn', 'updatedOn'],
      actions: [],
      badFilters: ['entityType=Ghost'],
    },
    () => ({ api, stranger, colleague, body: async (keyword) => individual({ lastName: keyword }) }),
  );

  it('shows a person by family name, and takes the currency of the tenant', async () => {
    const body = individual({ firstName: 'Ada', lastName: 'Okafor', title: 'Dr', email: 'ada@example.com' });
    expect(await api.data('POST', 'entities', body)).toEqual({
      ...body,
      id: expect.any(String),
      version: 1,
      isDeleted: false,
      createdOn: expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/),
      createdBy: expect.stringMatching(/^integration:/),
      updatedOn: expect.any(String),
      updatedBy: expect.any(String),
      externalReference: null,
      sortName: 'Okafor, Ada',
      fullName: 'Ada Okafor',
      name: null,
      currency: 'GBP',
      phones: [],
      addresses: [],
      registrationNumber: null,
      taxNumber: null,
      roleIds: [],
      anonymisedOn: null,
    });
  });

  it('shows an organisation by its name', async () => {
    const body = { entityType: 'Organisation', name: 'Mill & Sons Ltd', currency: 'EUR' };
    const shown = {
      sortName: 'Mill & Sons Ltd',
      fullName: 'Mill & Sons Ltd',
      lastName: null,
      currency: 'EUR',
    };
    expect(await api.data('POST', 'entities', body)).toMatchObject({ ...body, ...shown });
  });

  it('is found by words of its name, e-mail address and number, and by type', async () => {
    const word = mark();
    const body = { lastName: "O'Neill", firstName: 'Zoë', email: `zoe@${word}.example`, taxNumber: 'GB/77' };
    const person = await api.create('entities', individual(body));
    const firm = await api.create('entities', { entityType: 'Organisation', name: `${word} Ltd` });
    const found = async (keywords: string, more = {}) =>
      (await api.rows('entities', { keywords, ...more })).map(({ id }) => id).sort();
    expect(await found(word)).toEqual([person, firm].sort());
    expect(await found(`zoë ${word}`)).toEqual([person]);
    expect(await found(`oneill ${word}`)).toEqual([]);
    expect(await found(`NEILL ${word.slice(0, -1)}`)).toContain(person);
    expect(await found(`gb/77 ${word}`)).toEqual([person]);
    expect(await found(word, { entityType: 'Organisation' })).toEqual([firm]);
    expect(await found(`' & ! | ( :* \\ ${word}`)).toEqual([person, firm].sort());
  });

  it('replaces addresses as a whole, and not at all when they are the same', async () => {
    const addresses = [{ street: '12 Mill Lane', city: 'Leeds', postcode: 'LS1 4AP' }];
    const { id } = await api.data('POST', 'entities', individual({ addresses }));
    const whole = { ...addresses[0], region: null, country: null };
    expect((await api.data('GET', `entities/${id}`)).addresses).toEqual([whole]);
    const same = await api.patch(`entities/${id}`, { addresses });
    expect(same.headers.get('etag')).toBe('"1"');
    await api.data('PATCH', `entities/${id}`, { addresses: [{ city: 'York' }] });
    const { addresses: after } = await api.data('GET', `entities/${id}`);
    expect(after).toEqual([{ street: null, city: 'York', region: null, postcode: null, country: null }]);
    await api.data('PATCH', `entities/${id}`, { addresses: null });
    expect((await api.data('GET', `entities/${id}`)).addresses).toEqual([]);
  });

  it('never changes its type', async () => {
    const { id } = await api.data('POST', 'entities', individual());
    const refused = await api.patch(`entities/${id}`, { entityType: 'Organisation' });
    expectProblem(refused, 422, 'entity_type_fixed', '/entityType');
    expectProblem(await api.patch(`entities/${id}`, { name: 'Ltd' }), 422, 'not_applicable', '/name');
    expectProblem(
      await api.patch(`entities/${id}`, { entityType: null }),
      422,
      'validation_failed',
      '/entityType',
    );
  });

  it('records no export for HEAD, which returns no data', async () => {
    const { id } = await api.data('POST', 'entities', individual());
    const asked = await api.send('HEAD', `entities/${id}/export`);
    expect([asked.status, asked.body]).toEqual([200, undefined]);
    expect(asked.headers.get('content-type')).toMatch(/^application\/json/);
    expect((await api.send('HEAD', `entities/entity_${'0'.repeat(32)}/export`)).status).toBe(404);
    expect((await api.data('GET', `entities/${id}`)).version).toBe(1);
    await api.send('GET', `entities/${id}/export`);
    expect((await api.data('GET', `entities/${id}`)).version).toBe(2);
  });

  it('is not deleted while it is a client, an employee or a contact', async () => {
    const clientId = await activeClient(api);
    const { entityId } = await api.data('GET', `clients/${clientId}`);
    expectProblem(await api.delete(`entities/${entityId}`), 409, 'in_use');
    const eve = await api.data('GET', `employees/${await employee(api)}`);
    expectProblem(await api.delete(`entities/${eve.entityId}`), 409, 'in_use');
    const contact = await api.create('entities', individual());
    const matterId = await matter(api, { clientId, billingContactId: contact });
    expectProblem(await api.delete(`entities/${contact}`), 409, 'in_use');
    await api.data('PATCH', `matters/${matterId}`, { billingContactId: null });
    expect((await api.delete(`entities/${contact}`)).status).toBe(204);
    expect((await api.delete(`matters/${matterId}`)).status).toBe(204);
    expect((await api.delete(`clients/${clientId}`)).status).toBe(204);
    expect((await api.delete(`entities/${entityId}`)).status).toBe(204);
  });

  it.each([
    [{}, 'validation_failed', '/entityType'],
    [{ entityType: 'Individual' }, 'required', '/lastName'],
    [{ entityType: 'Individual', lastName: ' ' }, 'required', '/lastName'],
    [{ entityType: 'Organisation', lastName: 'A' }, 'required', '/name'],
    [{ entityType: 'Organisation', name: 'A', firstName: 'B' }, 'not_applicable', '/firstName'],
    [individual({ email: 'nobody' }), 'validation_failed', '/email'],
    [individual({ currency: 'gbp' }), 'validation_failed', '/currency'],
    [individual({ currency: 'XYZ' }), 'validation_failed', '/currency'],
    [individual({ phones: '1' }), 'validation_failed', '/phones'],
    [individual({ phones: [1] }), 'validation_failed', '/phones'],
    [individual({ phones: [''] }), 'validation_failed', '/phones'],
    [individual({ phones: Array(11).fill('1') }), 'validation_failed', '/phones'],
    [individual({ addresses: {} }), 'validation_failed', '/addresses'],
    [individual({ addresses: [[]] }), 'validation_failed', '/addresses'],
    [individual({ addresses: ['x'] }), 'validation_failed', '/addresses'],
    [individual({ addresses: [{ town: 'Leeds' }] }), 'validation_failed', '/addresses/0/town'],
    [individual({ addresses: [{ city: 5 }] }), 'validation_failed', '/addresses/0/city'],
    [individual({ firstName: { a: 1 } }), 'validation_failed', '/firstName'],
  ])('refuses %j', async (body, code, pointer) => {
    expectProblem(await api.post('entities', body), 422, code, pointer);
  });
});
