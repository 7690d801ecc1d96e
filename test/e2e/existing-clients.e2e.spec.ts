import { type ApiClient, type Json, requestToken, send } from '../support/client';
import { Office } from './office';
import { employee, generalDivision, hour, mark } from './records';

/** The requests of public clients of the service, as they write them, and the parts of the answers that they read. */

let office: Office;
let api: ApiClient;
let entityId: string;
let contactId: string;
let divisionId: string;
let employeeId: string;
let clientId: string;
const word = mark();

beforeAll(async () => {
  office = await Office.join();
  api = await office.tenant();
  divisionId = await generalDivision(api);
  entityId = await api.create('entities', {
    entityType: 'Individual',
    firstName: 'Ada',
    lastName: word,
    email: 'ada@example.com',
    addresses: [{ street: '12 Mill Lane', city: 'Leeds', postcode: 'LS1 4AP', country: 'GB' }],
  });
  contactId = await api.create('entities', { entityType: 'Organisation', name: 'Payer Ltd' });
  employeeId = await employee(api, { initials: 'EA', jobTitle: 'Partner', billingGrade: 'A' });
  clientId = await api.create('clients', { entityId, billingContactId: contactId, minutesPerUnit: 6 });
  await api.data('POST', `clients/${clientId}/activate`);
});
afterAll(() => office.close());

const url = (path: string) => `${office.app.baseUrl}/${api.tenant}/api/v1/${path}`;
/** Sends the headers of such a client. Reads wait for its own writes, however busy the machine is. */
const bare = (method: string, path: string, body?: object) =>
  api.send(method, path, body, { Accept: 'application/json' });

describe('an existing client of the service', () => {
  it('asks for a token with form fields and a /.default scope, and tests its connection', async () => {
    const credentials = await office.integration(api.tenant);
    const token = await requestToken(office.app.baseUrl, credentials, 'https://api.example/.default');
    expect(token.body).toMatchObject({
      access_token: expect.any(String),
      token_type: 'Bearer',
      expires_in: 3600,
      not_before: expect.any(Number),
      expires_on: expect.any(Number),
    });
    const headers = { Authorization: `Bearer ${token.body.access_token}` };
    const { status, body } = await send('GET', url('tenants'), { headers });
    expect(status).toBe(200);
    expect(body).toMatchObject({ success: true, data: { firmName: `Firm ${api.tenant}` } });
    const refused = await send('GET', url('tenants'), { headers: { Authorization: 'Bearer no' } });
    expect([refused.status, refused.body.success]).toEqual([401, false]);
    expect(refused.body.reason).toMatch(/\w/);
  });

  it('reads clients by page, word and id', async () => {
    const fields = {
      id: clientId,
      sortName: `${word}, Ada`,
      fullName: `Ada ${word}`,
      streetAddress: '12 Mill Lane, Leeds, LS1 4AP, GB',
      clientNumber: expect.stringMatching(/^\d+$/),
      entityId,
      state: 1,
      currency: 'GBP',
      taxCode: null,
      billingContactId: contactId,
      minutesPerUnit: 6,
    };
    const list = await api.get(`clients?pageIndex=0&pageSize=20&keywords=${word}`);
    expect(list.body).toEqual({
      success: true,
      data: { rows: [expect.objectContaining(fields)], pageIndex: 0, pageSize: 20, hasMore: false },
    });
    expect((await api.get(`clients/${clientId}`)).body).toEqual({
      success: true,
      data: expect.objectContaining(fields),
    });
    const next = await api.get(`clients?pageIndex=1&pageSize=20&keywords=${word}`);
    expect(next.body.data).toMatchObject({ rows: [], hasMore: false });
  });

  it('opens a matter with the least fields, and with all that it knows', async () => {
    const least = await bare('POST', 'matters', { clientId, divisionId, title: 'Purchase' });
    expect(least.status).toBe(201);
    expect(least.body).toMatchObject({ success: true, data: { id: expect.stringMatching(/^matter_/) } });
    const matterTypeId = await api.create('mattertypes', { name: 'Residential' });
    const body = { clientId, divisionId, title: 'Sale', matterTypeId, billingContactId: contactId };
    const full = await bare('POST', 'matters', body);
    expect(full.body.data).toMatchObject(body);
    const unset = { ...body, matterTypeId: null, billingContactId: null };
    expect((await bare('POST', 'matters', unset)).body.data).toMatchObject(unset);
  });

  it('reads matters by page, word and id, and changes them', async () => {
    const title = mark();
    const id = await api.create('matters', {
      clientId,
      divisionId,
      title,
      billingContactId: contactId,
      minutesPerUnit: 10,
      responsiblePersonId: employeeId,
      actingPersonId: employeeId,
      introducerId: contactId,
      feeEstimate: { Amount: 1500, Currency: 'GBP' },
      dateOpened: '2025-06-12T10:00:00Z',
      matterTypeId: await api.create('mattertypes', { name: 'Commercial' }),
    });
    const fields = {
      id,
      state: 1,
      divisionId,
      clientId,
      clientEntityId: entityId,
      responsiblePersonId: employeeId,
      actingPersonId: employeeId,
      assistingPersonId: null,
      introducerId: contactId,
      matterTypeId: expect.stringMatching(/^mattertype_/),
      matterNumber: expect.stringMatching(/^\d+$/),
      title,
      sortTitle: title,
      dateOpened: '2025-06-12T10:00:00.000Z',
      dateClosed: null,
      dateArchived: null,
      billingContactId: contactId,
      currency: 'GBP',
      draftInvoiceId: null,
      feeEstimate: { Amount: 1500, Currency: 'GBP' },
      disbursementEstimate: null,
      divisionName: 'General',
      matterType: 'Commercial',
      clientSortName: `${word}, Ada`,
      billingContactSortName: 'Payer Ltd',
      documentCollectionId: null,
      minutesPerUnit: 10,
    };
    const list = await api.get(`matters?pageIndex=0&pageSize=20&keywords=${title}`);
    expect(list.body.data).toMatchObject({ pageIndex: 0, pageSize: 20, hasMore: false });
    expect(list.body.data.rows).toEqual([expect.objectContaining(fields)]);
    const { sortName } = await api.data('GET', `employees/${employeeId}`);
    const person = { sortName, initials: 'EA', jobTitle: 'Partner', billingGrade: 'A' };
    expect((await api.get(`matters/${id}`)).body).toEqual({
      success: true,
      data: expect.objectContaining({
        ...fields,
        responsiblePerson: person,
        actingPerson: person,
        assistingPerson: null,
      }),
    });
    const patched = await bare('PATCH', `matters/${id}`, { title: 'Renamed', billingContactId: null });
    expect([patched.status, patched.body]).toEqual([200, { success: true, data: id }]);
    const after = await api.data('GET', `matters/${id}`);
    expect(after).toMatchObject({
      title: 'Renamed',
      billingContactId: null,
      responsiblePersonId: employeeId,
    });
    expect((await bare('DELETE', `matters/${id}`)).status).toBe(204);
  });

  it('pages through all records of which it shows labels', async () => {
    const [matter] = await api.rows('matters', { pageSize: 1 });
    await api.create('suppliers', { entityId: contactId });
    await api.data('POST', 'workitems', hour(matter.id, employeeId));
    const labels: [string, string[]][] = [
      ['entities', ['sortName', 'fullName']],
      ['divisions', ['name']],
      ['mattertypes', ['name']],
      ['employees', ['sortName']],
      ['suppliers', ['sortName']],
      ['workitems', ['title']],
    ];
    for (const [area, names] of labels) {
      const seen: Json[] = [];
      for (let pageIndex = 0, hasMore = true; hasMore; pageIndex++) {
        const { body } = await api.get(`${area}?pageIndex=${pageIndex}&pageSize=1`);
        expect(body).toMatchObject({ success: true, data: { pageIndex, pageSize: 1 } });
        seen.push(...body.data.rows);
        hasMore = body.data.hasMore;
      }
      expect(seen.length).toBeGreaterThan(0);
      expect(new Set(seen.map(({ id }) => id)).size).toBe(seen.length);
      for (const row of seen)
        for (const name of names) expect([area, name, row[name]]).toEqual([area, name, expect.any(String)]);
    }
    const [entity] = await api.rows('entities', { ids: entityId });
    expect(entity).toMatchObject({
      sortName: `${word}, Ada`,
      fullName: `Ada ${word}`,
      email: 'ada@example.com',
    });
  });

  it('keeps its settings with the tenant', async () => {
    const settings = { divisions: { [divisionId]: 'Family' }, lastSync: null };
    const put = await bare('PUT', 'integrations/tenantSettings', settings);
    expect([put.status, put.body.success]).toEqual([200, true]);
    expect((await bare('GET', 'integrations/tenantSettings')).body).toEqual({
      success: true,
      data: settings,
    });
  });
});
