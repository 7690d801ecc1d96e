import type { ApiClient, Json } from '../support/client';
import { Office } from './office';
import { behavesAsRecords } from './record-behaviour';
import { activeClient, employee, generalDivision, hour, mark, matter, newClient, person } from './records';
import { expectProblem } from './refusals';

let office: Office;
let api: ApiClient;
let stranger: ApiClient;
let colleague: ApiClient;
let clientId: string;
let divisionId: string;

beforeAll(async () => {
  office = await Office.join();
  [api, stranger] = [await office.tenant(), await office.tenant()];
  colleague = await office.caller(api.tenant, await office.integration(api.tenant));
  [clientId, divisionId] = [await activeClient(api), await generalDivision(api)];
});
afterAll(() => office.close());

const UNKNOWN = '0'.repeat(32);
const open = (fields: object = {}) => ({ clientId, divisionId, title: mark(), ...fields });

describe('matters', () => {
  behavesAsRecords(
    {
      path: 'matters',
      kind: 'matter',
      money: ['feeEstimate', 'disbursementEstimate'],
      optional: {
        field: 'feeEstimate',
        first: { Amount: 1500, Currency: 'GBP' },
        second: { Amount: 0.01, Currency: 'GBP' },
      },
      required: 'title',
      sorts: ['matterNumber', 'title', 'dateOpened', 'clientSortName', 'createdOn', 'updatedOn'],
      actions: ['close', 'reopen', 'archive'],
      badFilters: ['state=0', 'state=4', 'clientId=1', `divisionId=client_${UNKNOWN}`, 'matterTypeId=x'],
    },
    () => ({ api, stranger, colleague, body: async (keyword) => open({ title: `About ${keyword}` }) }),
  );

  it('shows the names of what it refers to on GET', async () => {
    const client = await activeClient(api, 'Okafor');
    const { entityId } = await api.data('GET', `clients/${client}`);
    const eve = await employee(api, { initials: 'EE', jobTitle: 'Partner', billingGrade: 'A' });
    const contact = await person(api, 'Contact', 'Carl');
    const body = open({ clientId: client, title: 'Purchase', responsiblePersonId: eve, actingPersonId: eve });
    const id = await api.create('matters', { ...body, billingContactId: contact, introducerId: contact });
    const { sortName } = await api.data('GET', `employees/${eve}`);
    const partner = { sortName, initials: 'EE', jobTitle: 'Partner', billingGrade: 'A' };
    expect(await api.data('GET', `matters/${id}`)).toMatchObject({
      ...body,
      state: 1,
      stateName: 'Open',
      clientEntityId: entityId,
      clientSortName: 'Okafor, Ada',
      divisionName: 'General',
      billingContactSortName: 'Contact, Carl',
      responsiblePerson: partner,
      actingPerson: partner,
      assistingPerson: null,
      sortTitle: 'Purchase',
      currency: 'GBP',
      dateOpened: expect.stringMatching(/Z$/),
      dateClosed: null,
      dateArchived: null,
      matterType: null,
      matterTypeId: null,
      draftInvoiceId: null,
      documentCollectionId: null,
      minutesPerUnit: null,
    });
    for (const query of [{ clientId: client }, { responsiblePersonId: eve }, { keywords: 'okafor purch' }]) {
      expect((await api.rows('matters', query as never)).map((row) => row.id)).toEqual([id]);
    }
  });

  it('has a tax code, which cannot be deleted while it has it', async () => {
    const code = { code: 'MAT', name: 'Exempt', category: 'Exempt' };
    const taxCodeId = await api.create('taxcodes', code);
    const id = await matter(api, { taxCodeId });
    expect(await api.data('GET', `matters/${id}`)).toMatchObject({ taxCodeId });
    expectProblem(await api.delete(`taxcodes/${taxCodeId}`), 409, 'in_use');
    await api.data('PATCH', `matters/${id}`, { taxCodeId: null });
    expect((await api.delete(`taxcodes/${taxCodeId}`)).status).toBe(204);
  });

  it('takes the next number, or the one given, and the two never collide', async () => {
    const [client, division] = [await activeClient(stranger), await generalDivision(stranger)];
    const numbered = async (matterNumber?: string) => {
      const body = { clientId: client, divisionId: division, title: 'x', matterNumber };
      const answer = await stranger.post('matters', body);
      return answer.status === 201 ? answer.body.data.matterNumber : answer.body.code;
    };
    const given = [undefined, '3', undefined, 'M/1', 'M/1', '3', '2', undefined];
    const numbers = [];
    for (const number of given) numbers.push(await numbered(number));
    const taken = 'matter_number_taken';
    expect(numbers).toEqual(['1', '3', '4', 'M/1', taken, taken, '2', '5']);
    expect(await numbered('')).toBe('validation_failed');
    expect(await numbered(' ')).toBe('validation_failed');
    for (const number of ['999999999999999', '1000000000000000', '1000000000000001']) await numbered(number);
    expect([await numbered(), await numbered()]).toEqual(['1000000000000002', '1000000000000003']);
  });

  it('needs an active client, an active division and active employees of its own tenant', async () => {
    const inactive = await activeClient(api);
    await api.data('POST', `clients/${inactive}/deactivate`);
    const idle = await api.create('divisions', { name: mark() });
    await api.data('POST', `divisions/${idle}/deactivate`);
    const retired = await employee(api);
    await api.data('POST', `employees/${retired}/deactivate`);
    const deleted = await newClient(api);
    await api.delete(`clients/${deleted}`);
    const cases: [string, string, string][] = [
      ['clientId', await newClient(api), 'client_not_active'],
      ['clientId', inactive, 'client_not_active'],
      ['clientId', deleted, 'client_not_found'],
      ['clientId', `client_${UNKNOWN}`, 'client_not_found'],
      ['clientId', await activeClient(stranger), 'client_not_found'],
      ['divisionId', `division_${UNKNOWN}`, 'division_not_found'],
      ['divisionId', await generalDivision(stranger), 'division_not_found'],
      ['divisionId', idle, 'division_not_active'],
      ['responsiblePersonId', await employee(stranger), 'employee_not_found'],
      ['actingPersonId', retired, 'employee_not_active'],
      ['assistingPersonId', `employee_${UNKNOWN}`, 'employee_not_found'],
      ['introducerId', await person(stranger), 'entity_not_found'],
      ['billingContactId', `entity_${UNKNOWN}`, 'entity_not_found'],
      ['matterTypeId', `mattertype_${UNKNOWN}`, 'mattertype_not_found'],
      ['rateSetId', `rateset_${UNKNOWN}`, 'rateset_not_found'],
      ['taxCodeId', `taxcode_${UNKNOWN}`, 'taxcode_not_found'],
    ];
    const title = mark();
    const existing = await matter(api);
    for (const [field, value, code] of cases) {
      expectProblem(await api.post('matters', open({ title, [field]: value })), 422, code, `/${field}`);
      expectProblem(await api.patch(`matters/${existing}`, { [field]: value }), 422, code, `/${field}`);
    }
    expect(await api.rows('matters', { keywords: title, includeDeleted: true })).toEqual([]);
    expect(await api.data('GET', `matters/${existing}`)).toMatchObject({ version: 1 });
  });

  it('closes once its work is billed or written off, reopens, and is finally archived', async () => {
    const id = await matter(api);
    const eve = await employee(api);
    const items = [];
    for (const units of [1, 2]) items.push(await api.create('workitems', hour(id, eve, { units })));
    await api.create('workitems', hour(id, eve, { isBillable: false }));
    await api.create('workitems', hour(id, eve, { units: 0 }));
    const refused = await api.post(`matters/${id}/close`);
    expectProblem(refused, 409, 'unbilled_work');
    expect(refused.body.detail).toContain('2 unbilled work items');
    for (const item of items) await api.data('POST', `workitems/${item}/writeoff`, { reason: 'Goodwill' });
    const closed = await api.data('POST', `matters/${id}/close`);
    expect(closed).toMatchObject({ state: 2, stateName: 'Closed', dateClosed: expect.stringMatching(/Z$/) });
    expect(await api.data('POST', `matters/${id}/close`)).toEqual(closed);
    expectProblem(await api.post('workitems', hour(id, eve)), 422, 'matter_not_open', '/matterId');
    expectProblem(await api.post(`workitems/${items[0]}/reinstate`), 409, 'matter_not_open');
    expect(await api.data('POST', `matters/${id}/reopen`)).toMatchObject({ state: 1, dateClosed: null });
    expect(await api.data('POST', `matters/${id}/reopen`)).toMatchObject({ state: 1 });
    expectProblem(await api.post(`matters/${id}/archive`), 409, 'matter_not_closed');
    await api.data('POST', `matters/${id}/close`);
    const archived = { state: 3, stateName: 'Archived', dateArchived: expect.stringMatching(/Z$/) };
    expect(await api.data('POST', `matters/${id}/archive`)).toMatchObject(archived);
    expectProblem(await api.post(`matters/${id}/reopen`), 409, 'matter_not_closed');
    expectProblem(await api.post(`matters/${id}/close`), 409, 'matter_not_open');
    expectProblem(await api.patch(`matters/${id}`, { title: 'New' }), 409, 'matter_archived');
    const { title } = await api.data('GET', `matters/${id}`);
    expect((await api.patch(`matters/${id}`, { title })).status).toBe(200);
    const listed = await api.rows('matters', { state: 3 });
    expect(listed.map((row) => row.id)).toEqual([id]);
  });

  it('keeps its client once it has work, and is not deleted then', async () => {
    const id = await matter(api);
    const other = await activeClient(api);
    await api.data('PATCH', `matters/${id}`, { clientId: other });
    const item = await api.create('workitems', hour(id, await employee(api)));
    expectProblem(await api.patch(`matters/${id}`, { clientId }), 409, 'client_fixed');
    expect((await api.patch(`matters/${id}`, { clientId: other })).status).toBe(200);
    expectProblem(await api.delete(`matters/${id}`), 409, 'in_use');
    await api.data('POST', `workitems/${item}/unfinalise`);
    await api.delete(`workitems/${item}`);
    expect((await api.delete(`matters/${id}`)).status).toBe(204);
  });

  it.each<[string, Json, string, string]>([
    ['title', '', 'validation_failed', '/title'],
    ['title', undefined, 'validation_failed', '/title'],
    ['clientId', null, 'validation_failed', '/clientId'],
    ['divisionId', `client_${UNKNOWN}`, 'validation_failed', '/divisionId'],
    ['currency', 'EUR', 'currency_not_supported', '/currency'],
    ['currency', 'pound', 'validation_failed', '/currency'],
    ['feeEstimate', { Amount: 1, Currency: 'USD' }, 'currency_not_supported', '/feeEstimate/Currency'],
    ['feeEstimate', { Amount: 0.00001, Currency: 'GBP' }, 'validation_failed', '/feeEstimate/Amount'],
    [
      'disbursementEstimate',
      { Amount: 1, Currency: 'USD' },
      'currency_not_supported',
      '/disbursementEstimate/Currency',
    ],
    ['dateOpened', '2025-06-12', 'validation_failed', '/dateOpened'],
    ['dateOpened', '2025-02-30T10:00:00Z', 'validation_failed', '/dateOpened'],
    ['dateOpened', '2025-06-12T10:00:00+99:99', 'validation_failed', '/dateOpened'],
    ['dateOpened', '1492-01-01T00:00:00Z', 'validation_failed', '/dateOpened'],
    ['minutesPerUnit', 61, 'validation_failed', '/minutesPerUnit'],
    ['state', 2, 'validation_failed', '/state'],
  ])('refuses a wrong %s (%#)', async (field, value, code, pointer) => {
    expectProblem(await api.post('matters', open({ [field]: value })), 422, code, pointer);
  });
});
