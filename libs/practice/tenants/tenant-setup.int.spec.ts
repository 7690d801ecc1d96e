import { BulkAppender } from '#event-store/append/append-bulk';
import { ClosedTenants } from '#event-store/closed-tenants';
import { at } from '#event-store/load';
import { AppendSignal } from '#event-store/signal';
import { SystemClock } from '#kernel/clock';
import { Installation } from '#platform/auth/installation';
import { Tenants } from '#platform/auth/tenants';
import { createTestStore, type TestStore } from '../../../test/support/store';
import { definitions } from '../areas';
import * as cost from '../cost-recoveries/cost-recovery.commands';
import * as draft from '../invoices/invoice.draft.commands';
import { RateSet } from '../rate-sets/rate-set';
import * as rates from '../rate-sets/rate-set.commands';
import { type BillingFirm, createBillingFirm } from '../testing/billing-firm';
import * as workItem from '../work-items/work-item.commands';
import { TenantSetup } from './tenant-setup';

describe("a tenant's zone and base currency", () => {
  let store: TestStore;
  let bulk: BulkAppender;
  let setup: TenantSetup;

  beforeAll(async () => {
    store = await createTestStore(definitions);
    const tenants = new Tenants(store.writes, new Installation('test', 'uk', 12));
    const signal = new AppendSignal(store.writes);
    bulk = new BulkAppender(store.writes, store.codec, store.keys, signal, new SystemClock());
    setup = new TenantSetup(tenants, store.store, store.loader, bulk, new ClosedTenants(store.writes));
  });
  afterAll(() => store.close());

  const entryDate = '2025-06-12T10:00:00.000Z';
  const entries: Record<string, (firm: BillingFirm) => Promise<unknown>> = {
    'a work item': ({ act, employeeIds: [employeeId] }) =>
      act(workItem.RecordWorkItem, workItem.RecordWorkItemHandler, {
        employeeId,
        itemType: 1,
        entryDate,
        rate: { Amount: 100, Currency: 'GBP' },
      }),
    'a cost recovery': ({ act, matters, disbursementCodeId }) =>
      act(cost.RecordCostRecovery, cost.RecordCostRecoveryHandler, {
        matterId: [...matters.keys()][0],
        disbursementCodeId,
        kind: 'CostRecovery',
        entryDate,
        quantity: 1,
        unitAmount: { Amount: 5, Currency: 'GBP' },
      }),
    'an invoice': ({ act, matters }) => {
      const [[matterId, { clientId }]] = matters;
      return act(draft.CreateInvoice, draft.CreateInvoiceHandler, { clientId, matterId });
    },
  };

  it.each(Object.entries(entries))('are fixed once it has %s', async (_, enter) => {
    const firm = await createBillingFirm(store);
    const { alias } = firm.context.tenant;
    expect(await setup.set(alias, { currency: 'EUR', timeZone: 'Europe/Paris' })).toMatchObject({
      currency: 'EUR',
    });
    await setup.set(alias, { currency: 'GBP', timeZone: 'Europe/London' });
    await enter(firm);
    for (const [name, value] of [
      ['currency', 'EUR'],
      ['timeZone', 'Europe/Paris'],
    ])
      await expect(setup.set(alias, { [name]: value })).rejects.toMatchObject({
        fault: 'conflict',
        code: 'setting_fixed',
      });
    expect(await setup.set(alias, { firmName: 'Renamed' })).toMatchObject({ firmName: 'Renamed' });
  });

  it.each([1, 2, 3])(
    'are fixed even if its first entry is made just before step %d of a change',
    async (step) => {
      const firm = await createBillingFirm(store);
      let steps = 0;
      const meanwhile = async () => {
        if (++steps === step) await entries['a work item'](firm);
      };
      const load = store.loader.load.bind(store.loader);
      const append = bulk.append.bind(bulk);
      jest.spyOn(store.loader, 'load').mockImplementation((...asks) => meanwhile().then(() => load(...asks)));
      jest
        .spyOn(bulk, 'append')
        .mockImplementation((...streams) => meanwhile().then(() => append(...streams)));
      const change = setup.set(firm.context.tenant.alias, { currency: 'EUR' });
      await expect(change.finally(() => jest.restoreAllMocks())).rejects.toMatchObject({
        code: 'setting_fixed',
      });
      expect(steps).toBeGreaterThanOrEqual(step);
    },
  );

  describe('are changed', () => {
    const entry = (Currency: string) => ({ rate: { Amount: 100, Currency } });
    const make = async ({ act }: BillingFirm, fields: object) => {
      const body = { name: 'Rates', currency: 'GBP', ...fields };
      return (await act(rates.CreateRateSet, rates.CreateRateSetHandler, body)).record.id;
    };
    const currencyOf = async ({ context }: BillingFirm, id: string) => {
      const [found] = await store.loader.load(context.tenant.id, [at(RateSet, id)]);
      return found!.data.currency;
    };

    it('and rate sets without entries with them: their entries are in the new base currency', async () => {
      const firm = await createBillingFirm(store);
      const { act } = firm;
      const standard = await make(firm, { isDefault: true });
      const gone = await make(firm, {});
      await act(rates.DeleteRateSet, rates.DeleteRateSetHandler, gone);
      const filled = await make(firm, { entries: [entry('GBP')] });
      await setup.set(firm.context.tenant.alias, { currency: 'EUR' });
      expect(await currencyOf(firm, standard)).toBe('EUR');
      expect(await currencyOf(firm, filled)).toBe('GBP');
      const body = { entries: [entry('EUR')] };
      const { record } = await act(rates.UpdateRateSet, rates.UpdateRateSetHandler, standard, body);
      expect(record).toMatchObject({ version: 3, data: { currency: 'EUR', entries: [{ rate: '100' }] } });
    });

    it('and rate sets in another currency are not copied any more', async () => {
      const firm = await createBillingFirm(store);
      const filled = await make(firm, { entries: [entry('GBP')] });
      await setup.set(firm.context.tenant.alias, { currency: 'EUR' });
      const copy = firm.act(rates.CopyRateSet, rates.CopyRateSetHandler, filled, { name: 'Copy' });
      await expect(copy).rejects.toMatchObject({ code: 'currency_not_supported', errors: [] });
    });

    it('but not while a rate set is made in the old base currency', async () => {
      const firm = await createBillingFirm(store);
      const append = bulk.append.bind(bulk);
      jest.spyOn(bulk, 'append').mockImplementationOnce(async (...streams) => {
        await make(firm, {});
        return append(...streams);
      });
      const { alias } = firm.context.tenant;
      await expect(setup.set(alias, { currency: 'EUR' })).rejects.toMatchObject({
        code: 'concurrent_update',
      });
      expect(await setup.set(alias, { currency: 'EUR' })).toMatchObject({ currency: 'EUR' });
    });
  });

  it('make an entry that was decided before they changed be decided again', async () => {
    const firm = await createBillingFirm(store);
    const append = store.appender.append.bind(store.appender);
    jest.spyOn(store.appender, 'append').mockImplementationOnce(async (job) => {
      await setup.set(firm.context.tenant.alias, { currency: 'EUR' });
      return append(job);
    });
    await expect(entries['a work item'](firm)).rejects.toMatchObject({ code: 'currency_not_supported' });
  });
});
