import type { ApiClient } from '../support/client';
import { Office } from './office';
import { behavesAsRecords } from './record-behaviour';
import { mark, person } from './records';
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

const code = () => `T${mark().split('x')[1]}`;
const taxCode = (as = api) => as.create('taxcodes', { code: code(), name: 'Exempt', category: 'Exempt' });
const disbursementCode = async (as = api) =>
  as.create('disbursementcodes', { code: code(), name: 'Search', taxCodeId: await taxCode(as) });

describe('suppliers', () => {
  behavesAsRecords(
    {
      path: 'suppliers',
      kind: 'supplier',
      optional: { field: 'paymentTermsDays', first: 14, second: 60 },
      required: 'entityId',
      sorts: ['sortName', 'createdOn', 'updatedOn'],
      actions: ['activate', 'deactivate'],
      badFilters: ['state=3', 'state=Active', `entityId=client_${'0'.repeat(32)}`, 'entityId=1'],
    },
    () => ({ api, stranger, colleague, body: async (keyword) => ({ entityId: await person(api, keyword) }) }),
  );

  it('shows its entity on GET, as it is now', async () => {
    const organisation = { entityType: 'Organisation', name: `Searches ${mark()}`, email: 'a@example.com' };
    const entityId = await api.create('entities', organisation);
    const id = await api.create('suppliers', { entityId });
    const [sortName, email] = [organisation.name, organisation.email];
    expect(await api.data('GET', `suppliers/${id}`)).toMatchObject({
      entityId,
      sortName,
      fullName: sortName,
      email,
      state: 1,
      stateName: 'Active',
      taxCodeId: null,
      defaultDisbursementCodeId: null,
      paymentTermsDays: null,
    });
    const renamed = `Finders ${mark()}`;
    await api.data('PATCH', `entities/${entityId}`, { name: renamed, email: null });
    expect(await api.rows('suppliers', { entityId })).toMatchObject([{ id, sortName: renamed, email: null }]);
    expect(await api.rows('suppliers', { keywords: renamed })).toMatchObject([{ id }]);
    expectProblem(await api.delete(`entities/${entityId}`), 409, 'in_use');
  });

  it('is the only supplier of its entity', async () => {
    const entityId = await person(api);
    const id = await api.create('suppliers', { entityId });
    const refused = await api.post('suppliers', { entityId });
    expectProblem(refused, 409, 'entity_supplier_taken');
    expect(refused.body.detail).toContain(id);
    const passed = await api.patch(`suppliers/${id}`, { entityId: await person(api) });
    expectProblem(passed, 422, 'entity_fixed', '/entityId');
    expect((await api.patch(`suppliers/${id}`, { entityId })).headers.get('etag')).toBe('"1"');
    await api.delete(`suppliers/${id}`);
    expect((await api.post('suppliers', { entityId })).status).toBe(201);
  });

  it('is the only supplier of its entity, even when two are created at once', async () => {
    const entityId = await person(api);
    const answers = await Promise.all([1, 2].map(() => api.post('suppliers', { entityId })));
    expect(answers.map(({ status }) => status).sort()).toEqual([201, 409]);
    expectProblem(answers.find(({ status }) => status === 409)!, 409, 'entity_supplier_taken');
  });

  it('has a tax code and a disbursement code, which are kept while it has them', async () => {
    const [taxCodeId, defaultDisbursementCodeId] = [await taxCode(), await disbursementCode()];
    const terms = { taxCodeId, defaultDisbursementCodeId, paymentTermsDays: 30 };
    const made = await api.data('POST', 'suppliers', { entityId: await person(api), ...terms });
    expect(made).toMatchObject(terms);
    expectProblem(await api.delete(`taxcodes/${taxCodeId}`), 409, 'in_use');
    expectProblem(await api.delete(`disbursementcodes/${defaultDisbursementCodeId}`), 409, 'in_use');
    await api.data('PATCH', `suppliers/${made.id}`, { taxCodeId: null, defaultDisbursementCodeId: null });
    expect((await api.delete(`taxcodes/${taxCodeId}`)).status).toBe(204);
    expect((await api.delete(`disbursementcodes/${defaultDisbursementCodeId}`)).status).toBe(204);
  });

  it('is not given an inactive disbursement code, and keeps one that becomes inactive', async () => {
    const defaultDisbursementCodeId = await disbursementCode();
    const id = await api.create('suppliers', { entityId: await person(api), defaultDisbursementCodeId });
    await api.data('POST', `disbursementcodes/${defaultDisbursementCodeId}/deactivate`);
    await api.data('PATCH', `suppliers/${id}`, { defaultDisbursementCodeId, paymentTermsDays: 7 });
    const refused = await api.post('suppliers', { entityId: await person(api), defaultDisbursementCodeId });
    expectProblem(refused, 422, 'disbursementcode_not_active', '/defaultDisbursementCodeId');
  });

  it('is deactivated and activated, with one event each', async () => {
    const id = await api.create('suppliers', { entityId: await person(api) });
    const inactive = { state: 2, stateName: 'Inactive', version: 2 };
    expect(await api.data('POST', `suppliers/${id}/deactivate`)).toMatchObject(inactive);
    expect(await api.data('POST', `suppliers/${id}/deactivate`)).toMatchObject(inactive);
    expect((await api.rows('suppliers', { state: 2 })).map((row) => row.id)).toContain(id);
    expect((await api.rows('suppliers', { state: 1 })).map((row) => row.id)).not.toContain(id);
    const active = { state: 1, stateName: 'Active', version: 3 };
    expect(await api.data('POST', `suppliers/${id}/activate`)).toMatchObject(active);
  });

  it.each([
    ['entityId', () => undefined, 'validation_failed'],
    ['entityId', () => `client_${'0'.repeat(32)}`, 'validation_failed'],
    ['entityId', () => `entity_${'0'.repeat(32)}`, 'entity_not_found'],
    ['entityId', () => person(stranger), 'entity_not_found'],
    ['taxCodeId', () => taxCode(stranger), 'taxcode_not_found'],
    ['taxCodeId', () => 'STD', 'validation_failed'],
    ['defaultDisbursementCodeId', () => disbursementCode(stranger), 'disbursementcode_not_found'],
    ['paymentTermsDays', () => -1, 'validation_failed'],
    ['paymentTermsDays', () => 366, 'validation_failed'],
    ['paymentTermsDays', () => 1.5, 'validation_failed'],
    ['state', () => 1, 'validation_failed'],
  ])('refuses a wrong %s (%#)', async (field, value, refusal) => {
    const body = { entityId: await person(api), [field]: await value() };
    expectProblem(await api.post('suppliers', body), 422, refusal, `/${field}`);
  });
});
