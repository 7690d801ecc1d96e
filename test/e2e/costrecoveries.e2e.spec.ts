import type { ApiClient } from '../support/client';
import { Office } from './office';
import { behavesAsRecords } from './record-behaviour';
import { mark, matter, person } from './records';
import { expectProblem } from './refusals';

let office: Office;
let api: ApiClient;
let stranger: ApiClient;
let colleague: ApiClient;
let matterId: string;
let taxCodeId: string;
/** A code for costs of any kind. */
let disbursementCodeId: string;
let suppliers: string[];

const UNKNOWN = '0'.repeat(32);
const gbp = (Amount: number) => ({ Amount, Currency: 'GBP' });
const taxCode = (as = api) => as.create('taxcodes', { code: mark(), name: 'Exempt', category: 'Exempt' });
const supplier = async (as = api, name?: string) =>
  as.create('suppliers', { entityId: await person(as, name) });
const code = (fields: object = {}) =>
  api.create('disbursementcodes', { code: mark().slice(0, 20), name: 'Search', taxCodeId, ...fields });

beforeAll(async () => {
  office = await Office.join();
  // Only pending costs can be changed and deleted.
  api = await office.tenant(undefined, ['autoFinaliseWorkItems=false']);
  stranger = await office.tenant();
  colleague = await office.caller(api.tenant, await office.integration(api.tenant));
  [matterId, taxCodeId, suppliers] = [
    await matter(api),
    await taxCode(),
    [await supplier(), await supplier()],
  ];
  disbursementCodeId = await code();
});
afterAll(() => office.close());

const cost = (fields: object = {}) => ({
  matterId,
  disbursementCodeId,
  kind: 'CostRecovery',
  quantity: 2,
  unitAmount: gbp(3),
  entryDate: '2025-06-12T10:00:00Z',
  ...fields,
});
const incurred = (fields: object = {}) => cost({ kind: 'Incurred', supplierId: suppliers[0], ...fields });
const record = (body: object = cost()) => api.data('POST', 'costrecoveries', body);
const patch = (id: string, body: object) => api.patch(`costrecoveries/${id}`, body);
async function changed(id: string, body: object) {
  await api.data('PATCH', `costrecoveries/${id}`, body);
  return api.data('GET', `costrecoveries/${id}`);
}

describe('costrecoveries', () => {
  behavesAsRecords(
    {
      path: 'costrecoveries',
      kind: 'costrecovery',
      money: ['unitAmount'],
      optional: {
        field: 'supplierId',
        get first() {
          return suppliers[0];
        },
        get second() {
          return suppliers[1];
        },
      },
      // This name is shown only on GET of a single record.
      derived: ['supplierSortName'],
      required: 'quantity',
      sorts: ['entryDate', 'createdOn', 'updatedOn', 'matterNumber'],
      actions: ['finalise'],
      badFilters: [
        'state=4',
        'kind=Other',
        'matterId=x',
        'entryDateFrom=x',
        'disbursementCodeId=x',
        `supplierId=matter_${UNKNOWN}`,
      ],
    },
    () => ({ api, stranger, colleague, body: async (name) => cost({ description: `About ${name}` }) }),
  );

  it('shows its value, and the names of what it refers to on GET', async () => {
    const name = mark();
    const fields = { supplierId: await supplier(api, name), entryDate: '2025-06-12T12:00:00+02:00' };
    const made = await record(
      incurred({ ...fields, quantity: 1.5, unitAmount: gbp(0.25), description: 'Copy' }),
    );
    const { matterNumber, title } = await api.data('GET', `matters/${matterId}`);
    const ofCode = await api.data('GET', `disbursementcodes/${disbursementCodeId}`);
    expect(made).toMatchObject({
      matterId,
      disbursementCodeId,
      taxCodeId,
      supplierId: fields.supplierId,
      kind: 'Incurred',
      entryDate: '2025-06-12T10:00:00.000Z',
      quantity: 1.5,
      unitAmount: gbp(0.25),
      total: gbp(0.38),
      remaining: gbp(0.38),
      remainingQuantity: 1.5,
      description: 'Copy',
      invoiceId: null,
      state: 0,
      stateName: 'Pending',
    });
    expect(await api.data('GET', `costrecoveries/${made.id}`)).toEqual({
      ...made,
      matterNumber,
      matterTitle: title,
      supplierSortName: `${name}, Ada`,
      disbursementCode: ofCode.code,
      disbursementCodeName: 'Search',
    });
  });

  it('is finalised at once where the tenant has that setting', async () => {
    await office.cli('tenants', 'set', '--alias', api.tenant, 'autoFinaliseWorkItems=true');
    expect(await record()).toMatchObject({ state: 1, stateName: 'Finalised', version: 2 });
    await office.cli('tenants', 'set', '--alias', api.tenant, 'autoFinaliseWorkItems=false');
    expect(await record()).toMatchObject({ state: 0, version: 1 });
  });

  it('is listed by matter, code, supplier, kind, state and time', async () => {
    const here = { matterId: await matter(api) };
    const fees = await code();
    const june = await record(incurred({ ...here, entryDate: '2025-06-12T23:59:59Z' }));
    const july = await record(
      cost({ ...here, entryDate: '2025-07-01T00:00:00Z', disbursementCodeId: fees, description: 'Fee' }),
    );
    const found = async (query: object) =>
      (await api.rows('costrecoveries', { ...here, ...query })).map((row) => row.id);
    expect(await found({})).toEqual([july.id, june.id]);
    // A minute before midnight in UTC is already the next day in London in summer.
    expect(await found({ entryDateFrom: '2025-06-13' })).toEqual([july.id, june.id]);
    expect(await found({ entryDateFrom: '2025-06-14' })).toEqual([july.id]);
    expect(await found({ entryDateTo: '2025-06-12' })).toEqual([]);
    expect(await found({ entryDateTo: '2025-06-13' })).toEqual([june.id]);
    const instant = '2025-07-01T00:00:00Z';
    expect(await found({ entryDateFrom: instant, entryDateTo: instant })).toEqual([]);
    expect(await found({ disbursementCodeId: fees })).toEqual([july.id]);
    expect(await found({ supplierId: suppliers[0] })).toEqual([june.id]);
    expect(await found({ supplierId: suppliers[1] })).toEqual([]);
    expect(await found({ kind: 'Incurred' })).toEqual([june.id]);
    expect(await found({ kind: 'Anticipated' })).toEqual([]);
    expect(await found({ keywords: 'fee' })).toEqual([july.id]);
    expect(await found({ state: 0 })).toEqual([july.id, june.id]);
    await api.data('POST', `costrecoveries/${june.id}/finalise`);
    expect(await found({ state: 1 })).toEqual([june.id]);
  });

  it('takes tax code and description from its code, unless given others', async () => {
    const [own, other] = [await taxCode(), await taxCode()];
    const copies = await code({ taxCodeId: own, description: 'Copies' });
    const { id, ...made } = await record(cost({ disbursementCodeId: copies }));
    expect(made).toMatchObject({ taxCodeId: own, description: 'Copies' });
    expect(await record(cost({ description: null }))).toMatchObject({ taxCodeId, description: 'Search' });
    const told = { taxCodeId: other, description: 'Colour copies' };
    expect(await record(cost({ disbursementCodeId: copies, ...told }))).toMatchObject(told);
    expect(await changed(id, told)).toMatchObject(told);
    // Given or copied values stay when the code changes, until they are cleared.
    expect(await changed(id, { disbursementCodeId })).toMatchObject({ ...told, disbursementCodeId });
    const cleared = await changed(id, { taxCodeId: null, description: null });
    expect(cleared).toMatchObject({ taxCodeId, description: 'Search' });
  });

  it('is calculated again when quantity or amount change, half-up to the penny', async () => {
    const { id } = await record();
    const worth = (Amount: number, remainingQuantity: number) => ({
      total: gbp(Amount),
      remaining: gbp(Amount),
      remainingQuantity,
    });
    expect(await changed(id, { quantity: 0.5 })).toMatchObject(worth(1.5, 0.5));
    expect(await changed(id, { unitAmount: gbp(0.0101) })).toMatchObject(worth(0.01, 0.5));
    expect(await changed(id, { quantity: 0 })).toMatchObject(worth(0, 0));
    expectProblem(
      await patch(id, { unitAmount: gbp(9e10), quantity: 2 }),
      422,
      'total_too_large',
      '/quantity',
    );
  });

  it.each<[object, string, string]>([
    [{ matterId: undefined }, 'validation_failed', '/matterId'],
    [{ matterId: null }, 'validation_failed', '/matterId'],
    [{ matterId: `matter_${UNKNOWN}` }, 'matter_not_found', '/matterId'],
    [{ disbursementCodeId: undefined }, 'validation_failed', '/disbursementCodeId'],
    [{ disbursementCodeId: `taxcode_${UNKNOWN}` }, 'validation_failed', '/disbursementCodeId'],
    [
      { disbursementCodeId: `disbursementcode_${UNKNOWN}` },
      'disbursementcode_not_found',
      '/disbursementCodeId',
    ],
    [{ kind: undefined }, 'validation_failed', '/kind'],
    [{ kind: 'incurred' }, 'validation_failed', '/kind'],
    [{ kind: 'Incurred' }, 'supplier_required', '/supplierId'],
    [{ entryDate: undefined }, 'validation_failed', '/entryDate'],
    [{ entryDate: '2025-06-12' }, 'validation_failed', '/entryDate'],
    [{ quantity: undefined }, 'validation_failed', '/quantity'],
    [{ quantity: -1 }, 'validation_failed', '/quantity'],
    [{ quantity: 0.00001 }, 'validation_failed', '/quantity'],
    [{ quantity: '2' }, 'validation_failed', '/quantity'],
    [{ unitAmount: undefined }, 'validation_failed', '/unitAmount'],
    [{ unitAmount: 3 }, 'validation_failed', '/unitAmount'],
    [{ unitAmount: { Amount: -3, Currency: 'GBP' } }, 'validation_failed', '/unitAmount/Amount'],
    [{ unitAmount: { Amount: 3, Currency: 'EUR' } }, 'currency_not_supported', '/unitAmount/Currency'],
    [{ taxCodeId: `taxcode_${UNKNOWN}` }, 'taxcode_not_found', '/taxCodeId'],
    [{ supplierId: `supplier_${UNKNOWN}` }, 'supplier_not_found', '/supplierId'],
    [{ description: 'x'.repeat(2001) }, 'validation_failed', '/description'],
    [{ total: gbp(6) }, 'validation_failed', '/total'],
    [{ invoiceId: `invoice_${UNKNOWN}` }, 'validation_failed', '/invoiceId'],
  ])('refuses %j', async (fields, problem, pointer) => {
    expectProblem(await api.post('costrecoveries', cost(fields)), 422, problem, pointer);
  });

  it('refers only to existing, active records of the tenant; a change checks only what it changes', async () => {
    const [closed, gone, away] = [await matter(api), await matter(api), await matter(stranger)];
    await api.data('POST', `matters/${closed}/close`);
    await api.delete(`matters/${gone}`);
    const [retired, left, exempt] = [await code(), await supplier(), await taxCode()];
    const { id } = await record(incurred({ disbursementCodeId: retired, supplierId: left }));
    await api.data('POST', `disbursementcodes/${retired}/deactivate`);
    await api.data('POST', `suppliers/${left}/deactivate`);
    await api.delete(`taxcodes/${exempt}`);
    const other = (await record()).id;
    for (const [field, value, problem] of [
      ['matterId', closed, 'matter_not_open'] as const,
      ['matterId', gone, 'matter_not_found'] as const,
      ['matterId', away, 'matter_not_found'] as const,
      ['disbursementCodeId', retired, 'disbursementcode_not_active'] as const,
      ['supplierId', left, 'supplier_not_active'] as const,
      ['supplierId', await supplier(stranger), 'supplier_not_found'] as const,
      ['taxCodeId', exempt, 'taxcode_not_found'] as const,
      ['taxCodeId', await taxCode(stranger), 'taxcode_not_found'] as const,
    ]) {
      const answer = await api.post('costrecoveries', cost({ [field]: value }));
      expectProblem(answer, 422, problem, `/${field}`);
      expectProblem(await patch(other, { [field]: value }), 422, problem, `/${field}`);
    }
    const same = { disbursementCodeId: retired, supplierId: left, quantity: 7 };
    expect(await changed(id, same)).toMatchObject({ ...same, total: gbp(21) });
  });

  it('fits its code, and has a supplier if it was bought', async () => {
    const bought = await code({ kind: 'Incurred' });
    const refused = await api.post('costrecoveries', cost({ disbursementCodeId: bought }));
    expectProblem(refused, 422, 'disbursement_kind_mismatch', '/kind');
    const { id } = await record();
    const recoded = await patch(id, { disbursementCodeId: bought });
    expectProblem(recoded, 422, 'disbursement_kind_mismatch', '/kind');
    expectProblem(await patch(id, { kind: 'Incurred' }), 422, 'supplier_required', '/supplierId');
    const next = { kind: 'Incurred', disbursementCodeId: bought, supplierId: suppliers[1] };
    expect(await changed(id, next)).toMatchObject(next);
    expectProblem(await patch(id, { kind: 'Anticipated' }), 422, 'disbursement_kind_mismatch', '/kind');
    expectProblem(await patch(id, { supplierId: null }), 422, 'supplier_required', '/supplierId');
  });

  it('keeps the records to which it refers from being deleted', async () => {
    const [there, fees, exempt, shop] = [await matter(api), await code(), await taxCode(), await supplier()];
    const references = { matterId: there, disbursementCodeId: fees, taxCodeId: exempt, supplierId: shop };
    const { id } = await record(incurred(references));
    const paths = [
      `disbursementcodes/${fees}`,
      `taxcodes/${exempt}`,
      `suppliers/${shop}`,
      `matters/${there}`,
    ];
    for (const path of paths) expectProblem(await api.delete(path), 409, 'in_use');
    expect((await api.delete(`costrecoveries/${id}`)).status).toBe(204);
    for (const path of paths) expect([path, (await api.delete(path)).status]).toEqual([path, 204]);
  });
});
