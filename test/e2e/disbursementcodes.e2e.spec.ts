import type { ApiClient } from '../support/client';
import { Office } from './office';
import { behavesAsRecords } from './record-behaviour';
import { mark, person } from './records';
import { expectProblem } from './refusals';

let office: Office;
let api: ApiClient;
let stranger: ApiClient;
let colleague: ApiClient;
let taxCodeId: string;

let made = 0;
/** A code that no other record of the tests has. */
const code = () => `D${process.pid}x${++made}`;
const UNKNOWN = '0'.repeat(32);
const taxCode = (as: ApiClient, fields: object = {}) =>
  as.create('taxcodes', { code: code(), name: 'Exempt', category: 'Exempt', ...fields });

beforeAll(async () => {
  office = await Office.join();
  [api, stranger] = [await office.tenant(), await office.tenant()];
  colleague = await office.caller(api.tenant, await office.integration(api.tenant));
  taxCodeId = await taxCode(api);
});
afterAll(() => office.close());

describe('disbursementcodes', () => {
  behavesAsRecords(
    {
      path: 'disbursementcodes',
      kind: 'disbursementcode',
      money: ['unitAmount'],
      optional: {
        field: 'unitAmount',
        first: { Amount: 3, Currency: 'GBP' },
        second: { Amount: 0.1234, Currency: 'GBP' },
      },
      required: 'taxCodeId',
      sorts: ['code', 'name', 'createdOn', 'updatedOn'],
      actions: ['activate', 'deactivate'],
      badFilters: ['state=3', 'kind=Other', 'taxCodeId=1', `supplierId=taxcode_${UNKNOWN}`],
    },
    () => ({ api, stranger, colleague, body: async (name) => ({ code: code(), name, taxCodeId }) }),
  );

  const make = (fields: object = {}) =>
    api.data('POST', 'disbursementcodes', { code: code(), name: mark(), taxCodeId, ...fields });
  const supplier = async (name = mark()) => api.create('suppliers', { entityId: await person(api, name) });

  it('shows its tax code and its supplier on GET', async () => {
    expect(await make()).toMatchObject({
      state: 1,
      stateName: 'Active',
      kind: null,
      unitAmount: null,
      description: null,
      supplierId: null,
      expenseCode: null,
    });
    const [sortName, exempt] = [mark(), code()];
    const fields = {
      kind: 'Incurred',
      taxCodeId: await taxCode(api, { code: exempt }),
      expenseCode: 'E112',
      supplierId: await supplier(sortName),
      description: 'Court fee',
      unitAmount: { Amount: 255, Currency: 'GBP' },
    };
    const full = await make(fields);
    expect(full).toMatchObject(fields);
    const shown = { ...full, taxCode: exempt, supplierSortName: `${sortName}, Ada` };
    expect(await api.data('GET', `disbursementcodes/${full.id}`)).toEqual(shown);
  });

  it('has a code that is unique in its firm until it is deleted', async () => {
    const [one, other] = [await make(), await make()];
    const again = { code: one.code, name: 'Again', taxCodeId };
    expectProblem(await api.post('disbursementcodes', again), 409, 'disbursement_code_taken');
    const renamed = await api.patch(`disbursementcodes/${other.id}`, { code: one.code });
    expectProblem(renamed, 409, 'disbursement_code_taken');
    const theirs = { ...again, taxCodeId: await taxCode(stranger) };
    expect((await stranger.post('disbursementcodes', theirs)).status).toBe(201);
    expect((await api.delete(`disbursementcodes/${one.id}`)).status).toBe(204);
    expect((await api.post('disbursementcodes', again)).status).toBe(201);
  });

  it('is found by its code and name, its state, its kind, its tax code and its supplier', async () => {
    const keywords = mark();
    const [vat, supplierId] = [await taxCode(api), await supplier()];
    const court = await make({ name: `${keywords} court`, kind: 'Incurred', supplierId });
    const copy = await make({ name: `${keywords} copy`, kind: 'CostRecovery', taxCodeId: vat });
    await api.data('POST', `disbursementcodes/${copy.id}/deactivate`);
    const found = async (query: Record<string, unknown>) =>
      (await api.rows('disbursementcodes', { keywords, ...query } as never)).map(({ id }) => id);
    expect(await found({})).toEqual([court.id, copy.id]);
    expect(await found({ kind: 'Incurred' })).toEqual([court.id]);
    expect(await found({ kind: 'Anticipated' })).toEqual([]);
    expect(await found({ state: 2 })).toEqual([copy.id]);
    expect(await found({ taxCodeId: vat })).toEqual([copy.id]);
    expect(await found({ supplierId })).toEqual([court.id]);
    expect(await found({ keywords: copy.code })).toEqual([copy.id]);
  });

  it('is deactivated and activated, with one event each', async () => {
    const { id, version } = await make();
    for (const _ of [1, 2]) {
      const off = await api.data('POST', `disbursementcodes/${id}/deactivate`);
      expect(off).toMatchObject({ state: 2, stateName: 'Inactive', version: version + 1 });
    }
    for (const _ of [1, 2]) {
      const on = await api.data('POST', `disbursementcodes/${id}/activate`);
      expect(on).toMatchObject({ state: 1, stateName: 'Active', version: version + 2 });
    }
  });

  it('needs a tax code of the firm that is not deleted', async () => {
    const theirs = await taxCode(stranger);
    const deleted = await taxCode(api);
    expect((await api.delete(`taxcodes/${deleted}`)).status).toBe(204);
    const { id } = await make();
    for (const wrong of [`taxcode_${UNKNOWN}`, theirs, deleted]) {
      const body = { code: code(), name: 'Refused', taxCodeId: wrong };
      const answer = await api.post('disbursementcodes', body);
      expectProblem(answer, 422, 'taxcode_not_found', '/taxCodeId');
      const patched = await api.patch(`disbursementcodes/${id}`, { taxCodeId: wrong });
      expectProblem(patched, 422, 'taxcode_not_found', '/taxCodeId');
    }
  });

  it('is bought from an active supplier, who may become inactive later', async () => {
    const supplierId = await supplier();
    const { id } = await make({ supplierId });
    await api.data('POST', `suppliers/${supplierId}/deactivate`);
    await api.data('PATCH', `disbursementcodes/${id}`, { name: 'Renamed', supplierId });
    const other = await make();
    const given = await api.patch(`disbursementcodes/${other.id}`, { supplierId });
    expectProblem(given, 422, 'supplier_not_active', '/supplierId');
    const unknown = await api.patch(`disbursementcodes/${other.id}`, { supplierId: `supplier_${UNKNOWN}` });
    expectProblem(unknown, 422, 'supplier_not_found', '/supplierId');
  });

  it('keeps the records to which it refers from being deleted, and is kept by records that refer to it', async () => {
    const [exempt, supplierId] = [await taxCode(api), await supplier()];
    const { id } = await make({ taxCodeId: exempt, supplierId });
    expectProblem(await api.delete(`taxcodes/${exempt}`), 409, 'in_use');
    expectProblem(await api.delete(`suppliers/${supplierId}`), 409, 'in_use');
    await api.data('PATCH', `suppliers/${supplierId}`, { defaultDisbursementCodeId: id });
    expectProblem(await api.delete(`disbursementcodes/${id}`), 409, 'in_use');
    await api.data('PATCH', `suppliers/${supplierId}`, { defaultDisbursementCodeId: null });
    expect((await api.delete(`disbursementcodes/${id}`)).status).toBe(204);
    expect((await api.delete(`suppliers/${supplierId}`)).status).toBe(204);
    expect((await api.delete(`taxcodes/${exempt}`)).status).toBe(204);
  });

  it.each([
    [{ code: '' }, 'code'],
    [{ code: 'x'.repeat(21) }, 'code'],
    [{ name: null }, 'name'],
    [{ kind: 'Other' }, 'kind'],
    [{ taxCodeId: null }, 'taxCodeId'],
    [{ taxCodeId: `supplier_${UNKNOWN}` }, 'taxCodeId'],
    [{ supplierId: 7 }, 'supplierId'],
    [{ unitAmount: { Amount: 1.23456, Currency: 'GBP' } }, 'unitAmount/Amount'],
  ])('refuses %j', async (fields, field) => {
    const answer = await api.post('disbursementcodes', { code: code(), name: 'x', taxCodeId, ...fields });
    expectProblem(answer, 422, 'validation_failed', `/${field}`);
  });

  it('has its amount in the base currency', async () => {
    const euros = { unitAmount: { Amount: 80, Currency: 'EUR' } };
    const created = await api.post('disbursementcodes', { code: code(), name: 'x', taxCodeId, ...euros });
    expectProblem(created, 422, 'currency_not_supported', '/unitAmount/Currency');
    const patched = await api.patch(`disbursementcodes/${(await make()).id}`, euros);
    expectProblem(patched, 422, 'currency_not_supported', '/unitAmount/Currency');
  });
});
