import { at } from '#event-store/load';
import { toId, toUuid } from '#kernel/ids';
import type { RequestContext } from '#platform/request-context';
import { createTestStore, type TestStore } from '../../../test/support/store';
import {
  CreateRecord,
  CreateRecordHandler,
  UpdateRecord,
  UpdateRecordHandler,
} from '../records/records.commands';
import { Tenant } from '../tenants/tenant';
import { createFirm, listRecords, project } from '../testing/firm';
import { TaxCode, type TaxCodeState } from './tax-code';
import { taxCodeWriting } from './tax-code.commands';
import { taxCodesProjection } from './tax-code.projection';
import { taxCodes } from './tax-code.queries';
import { markTaxRateUsed, requireRates, taxRateOn } from './tax-code.rates';
import { createTaxCodes } from './tax-code.start';

describe('tax codes on a real store', () => {
  let store: TestStore;
  beforeAll(async () => {
    store = await createTestStore([Tenant, TaxCode]);
  });
  afterAll(() => store.close());

  const start = (context: RequestContext, region: 'uk' | 'au') =>
    store.store.execute(context, async (work) => {
      createTaxCodes(work, region);
      const { tenant } = await work.load({ tenant: at(Tenant, toId('tenant', context.tenant.streamId)) });
      return tenant!;
    });

  const stateOf = async (context: RequestContext, id: string) =>
    (await store.loader.foldEvents(TaxCode, context.tenant.id, toUuid(id)))!.data as TaxCodeState;

  it.each([
    ['uk', { STD: 20, RED: 5, ZERO: 0, EXEMPT: 0, OUT: 0 }, 'VAT'],
    ['au', { GST: 10, FREE: 0, INPUT: 0, OUT: 0 }, 'GST'],
  ] as const)('are those of the region in a new tenant of %s', async (region, percents, scheme) => {
    const context = await createFirm(store);
    await start(context, region);
    await project(store, context, [taxCodesProjection]);
    const rows = await listRecords(store, context, taxCodes);
    const found = rows.map(({ code, rates }) => [code, rates.at(-1)?.percent ?? 0]);
    expect(Object.fromEntries(found)).toEqual(percents);
    expect(new Set(rows.map((row) => row.scheme))).toEqual(new Set([scheme]));
    for (const { id } of rows) {
      requireRates(await stateOf(context, id));
    }
  });

  async function standard(context: RequestContext) {
    const body = { code: 'S', name: 'S', category: 'Standard', rates: [{ percent: 20, from: '2011-01-04' }] };
    return (
      await new CreateRecordHandler(store.store).execute(new CreateRecord(context, taxCodeWriting, body))
    ).record.id;
  }

  const use = (context: RequestContext, id: string, day: string) =>
    store.store.execute(context, async (work) => {
      const { code } = await work.load({ code: at(TaxCode, id) });
      return work.change(TaxCode, code!, markTaxRateUsed(code!.data, taxRateOn(code!.data, day)));
    });

  const patch = (context: RequestContext, id: string, body: object) =>
    new UpdateRecordHandler(store.store).execute(new UpdateRecord(context, taxCodeWriting, id, body));

  it('keep a rate from the moment at which an invoice has used it', async () => {
    const context = await createFirm(store);
    const id = await standard(context);
    expect((await use(context, id, '2025-06-12')).record.version).toBe(2);
    expect((await use(context, id, '2025-06-13')).record.version).toBe(2);
    await expect(patch(context, id, { rates: [{ percent: 21, from: '2011-01-04' }] })).rejects.toMatchObject({
      fault: 'conflict',
      code: 'tax_rate_used',
      detail: 'Invoices have used 20 % from 2011-01-04, so only its last day can be changed.',
    });
    const ended = { rates: [{ percent: 20, from: '2011-01-04', to: '2026-12-31' }] };
    expect((await patch(context, id, ended)).record.version).toBe(3);
    await project(store, context, [taxCodesProjection]);
    expect(await listRecords(store, context, taxCodes)).toMatchObject([
      { isUsed: true, rates: [{ percent: 20, to: '2026-12-31', isUsed: true }] },
    ]);
  });

  it('record the use of a rate that they have, also when their rates change at the same moment', async () => {
    const context = await createFirm(store);
    const id = await standard(context);
    const [used, changed] = await Promise.allSettled([
      use(context, id, '2025-06-12'),
      patch(context, id, { rates: [{ percent: 21, from: '2012-01-01' }] }),
    ]);
    expect(used.status).toBe('fulfilled');
    const { rates, used: marked } = await stateOf(context, id);
    const [{ from }] = rates;
    expect(marked).toEqual([from]);
    expect(from).toBe(changed.status === 'fulfilled' ? '2012-01-01' : '2011-01-04');
  });
});
