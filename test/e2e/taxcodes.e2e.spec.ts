import type { ApiClient } from '../support/client';
import { Office } from './office';
import { behavesAsRecords } from './record-behaviour';
import { mark, newClient } from './records';
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

/** A unique code of at most 20 characters. */
const code = () => `T${mark().split('x')[1]}`;

describe('taxcodes', () => {
  behavesAsRecords(
    {
      path: 'taxcodes',
      kind: 'taxcode',
      optional: { field: 'scheme', first: 'VAT', second: 'GST', cleared: 'VAT' },
      required: 'name',
      sorts: ['code', 'name', 'createdOn', 'updatedOn'],
      actions: [],
      badFilters: ['scheme=vat', 'scheme=', 'category=0', 'category=standard'],
    },
    () => ({
      api,
      stranger,
      colleague,
      body: async (keyword) => ({ code: code(), name: `Code ${keyword}`, category: 'Exempt' }),
    }),
  );

  const twenty = { percent: 20, from: '2011-01-04' };
  const standard = (fields: object = {}) => ({
    code: code(),
    name: mark(),
    category: 'Standard',
    rates: [twenty],
    ...fields,
  });
  const make = (fields: object = {}) => api.data('POST', 'taxcodes', standard(fields));

  it('shows its rates, the oldest first', async () => {
    const rates = [twenty, { percent: 17.5, from: '2010-01-01', to: '2011-01-03' }];
    const made = await make({ rates });
    expect(await api.data('GET', `taxcodes/${made.id}`)).toMatchObject({
      scheme: 'VAT',
      category: 'Standard',
      isUsed: false,
      rates: [
        { percent: 17.5, from: '2010-01-01', to: '2011-01-03', isUsed: false },
        { percent: 20, from: '2011-01-04', to: null, isUsed: false },
      ],
    });
    const again = await api.patch(`taxcodes/${made.id}`, { rates: rates.toReversed() });
    expect(again.headers.get('etag')).toBe('"1"');
  });

  it("takes a timestamp for its day in the tenant's zone, and the scheme of its region", async () => {
    const sydney = await office.tenant('sydney', ['timeZone=Australia/Sydney']);
    const body = standard({ rates: [{ percent: 10, from: '2000-06-30T14:00:00Z' }] });
    expect(await sydney.data('POST', 'taxcodes', body)).toMatchObject({ rates: [{ from: '2000-07-01' }] });
    expect(await api.data('POST', 'taxcodes', { ...body, code: code() })).toMatchObject({
      scheme: 'VAT',
      rates: [{ from: '2000-06-30' }],
    });
  });

  it('is found by scheme and category', async () => {
    const keywords = mark();
    const name = `Code ${keywords}`;
    const gst = await make({ name, scheme: 'GST' });
    const zero = await make({ name, category: 'Zero', rates: null });
    const found = async (query: object) =>
      (await api.rows('taxcodes', { keywords, ...query })).map(({ id }) => id);
    expect(await found({ scheme: 'GST' })).toEqual([gst.id]);
    expect(await found({ category: 'Zero' })).toEqual([zero.id]);
    expect(await found({ scheme: 'GST', category: 'Zero' })).toEqual([]);
  });

  it('has a code that is unique in the firm', async () => {
    const made = await make();
    expectProblem(await api.post('taxcodes', standard({ code: made.code })), 409, 'tax_code_taken');
    const other = await make();
    expectProblem(await api.patch(`taxcodes/${other.id}`, { code: made.code }), 409, 'tax_code_taken');
    expect((await stranger.post('taxcodes', standard({ code: made.code }))).status).toBe(201);
    await api.data('PATCH', `taxcodes/${made.id}`, { code: code() });
    await api.data('PATCH', `taxcodes/${other.id}`, { code: made.code });
    await api.delete(`taxcodes/${other.id}`);
    expect((await api.post('taxcodes', standard({ code: made.code }))).status).toBe(201);
  });

  it('never has two rates on one day, and the refusal names both', async () => {
    const rates = [twenty, { percent: 22, from: '2011-06-01' }];
    const refused = await api.post('taxcodes', standard({ rates }));
    expectProblem(refused, 422, 'tax_rates_overlap', '/rates');
    expect(refused.body.detail).toContain('20 % from 2011-01-04 and 22 % from 2011-06-01');
    const { id } = await make();
    expectProblem(await api.patch(`taxcodes/${id}`, { rates }), 422, 'tax_rates_overlap', '/rates');
    const parted = [{ ...twenty, to: '2011-05-31' }, rates[1]];
    await api.data('PATCH', `taxcodes/${id}`, { rates: parted });
  });

  it('has rates exactly when it is Standard or Reduced', async () => {
    const { id } = await make();
    expectProblem(await api.patch(`taxcodes/${id}`, { rates: null }), 422, 'tax_rate_required', '/rates');
    expectProblem(
      await api.patch(`taxcodes/${id}`, { category: 'Zero' }),
      422,
      'tax_rate_not_taken',
      '/rates',
    );
    const zero = await api.patch(
      `taxcodes/${id}`,
      { category: 'Zero', rates: null },
      { Prefer: 'return=representation' },
    );
    expect(zero.body.data).toMatchObject({ category: 'Zero', rates: [] });
    expectProblem(
      await api.patch(`taxcodes/${id}`, { category: 'Reduced' }),
      422,
      'tax_rate_required',
      '/rates',
    );
  });

  it.each([
    ['code', null, 'validation_failed', '/code'],
    ['code', 'x'.repeat(21), 'validation_failed', '/code'],
    ['name', ' ', 'validation_failed', '/name'],
    ['category', undefined, 'validation_failed', '/category'],
    ['category', 'standard', 'validation_failed', '/category'],
    ['scheme', 'Sales', 'validation_failed', '/scheme'],
    ['rates', 20, 'validation_failed', '/rates'],
    ['rates', [20], 'validation_failed', '/rates'],
    ['rates', [], 'tax_rate_required', '/rates'],
    ['rates', Array(51).fill(twenty), 'validation_failed', '/rates'],
    ['rates', [{ from: '2011-01-04' }], 'validation_failed', '/rates/0/percent'],
    ['rates', [{ ...twenty, percent: -1 }], 'validation_failed', '/rates/0/percent'],
    ['rates', [{ ...twenty, percent: 100.5 }], 'validation_failed', '/rates/0/percent'],
    ['rates', [{ ...twenty, percent: 0.00001 }], 'validation_failed', '/rates/0/percent'],
    ['rates', [{ percent: 20 }], 'validation_failed', '/rates/0/from'],
    ['rates', [{ ...twenty, from: '2011-02-30' }], 'validation_failed', '/rates/0/from'],
    ['rates', [{ ...twenty, to: 'soon' }], 'validation_failed', '/rates/0/to'],
    ['rates', [{ ...twenty, to: '2011-01-03' }], 'tax_rate_ends_early', '/rates'],
    ['rates', [{ ...twenty, isUsed: 'yes' }], 'validation_failed', '/rates/0/isUsed'],
    ['isUsed', true, 'validation_failed', '/isUsed'],
  ])('refuses a wrong %s (%#)', async (field, value, refusal, pointer) => {
    expectProblem(await api.post('taxcodes', standard({ [field]: value })), 422, refusal, pointer);
  });

  it('cannot be deleted while a client has it', async () => {
    const { id: taxCodeId } = await make();
    const client = await newClient(api);
    await api.data('PATCH', `clients/${client}`, { taxCodeId });
    expectProblem(await api.delete(`taxcodes/${taxCodeId}`), 409, 'in_use');
    await api.data('PATCH', `clients/${client}`, { taxCodeId: null });
    expect((await api.delete(`taxcodes/${taxCodeId}`)).status).toBe(204);
  });
});
