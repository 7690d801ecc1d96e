import { createTestStore, type TestStore } from '../../../test/support/store';
import { definitions } from '../areas';
import { type BillingFirm, createBillingFirm } from '../testing/billing-firm';
import { RecordWorkItem, RecordWorkItemHandler } from '../work-items/work-item.commands';
import { WorkItem, type WorkItemState } from '../work-items/work-item.lookup';
import { MAX_LINES } from './invoice';
import * as invoice from './invoice.commands';
import * as draft from './invoice.draft.commands';

const GBP = { Amount: 100, Currency: 'GBP' };

describe('an invoice of as many lines as there can be', () => {
  let store: TestStore;
  let firm: BillingFirm;
  let matterId: string;
  let clientId: string;
  let items: string[];

  beforeAll(async () => {
    store = await createTestStore(definitions);
    firm = await createBillingFirm(store);
    [[matterId, { clientId }]] = firm.matters;
    const entry = {
      itemType: 0 as const,
      entryDate: '2025-06-12T10:00:00.000Z',
      durationTicks: 36_000_000_000,
    };
    // Each in three bytes a sign: as long as a narration gets.
    const body = {
      matterId,
      employeeId: firm.employeeIds[0],
      rate: GBP,
      title: '漢'.repeat(2_000),
      ...entry,
    };
    const made = Array.from({ length: MAX_LINES + 1 }, () =>
      firm.act(RecordWorkItem, RecordWorkItemHandler, body),
    );
    items = (await Promise.all(made)).map(({ record }) => record.id);
  });
  afterAll(() => store.close());

  const statesOf = async () => {
    const folded = await Promise.all(
      items
        .slice(0, MAX_LINES)
        .map((id) => store.loader.foldEvents(WorkItem, firm.context.tenant.id, id.slice(9))),
    );
    const states = folded.map((one) => one!.data as WorkItemState);
    return [...new Set(states.map(({ state, invoiceId }) => `${state} ${invoiceId}`))];
  };

  it('is drafted, issued, unissued and voided, each with all its items in one append', async () => {
    const lines = items.slice(0, MAX_LINES).map((sourceId) => ({ kind: 'Fee' as const, sourceId }));
    const create = (more: object[]) =>
      firm.act(draft.CreateInvoice, draft.CreateInvoiceHandler, {
        ...{ clientId, matterId, lines: [...lines, ...more] as typeof lines },
      });
    await expect(create([{ kind: 'Fee', sourceId: items[MAX_LINES] }])).rejects.toMatchObject({
      code: 'too_many_lines',
    });
    const { id } = (await create([])).record;
    expect(await statesOf()).toEqual([`1 ${id}`]);
    const { record } = await firm.act(invoice.IssueInvoice, invoice.IssueInvoiceHandler, id, {});
    expect(record.data).toMatchObject({
      state: 1,
      number: '1',
      net: '100000',
      tax: '20000',
      total: '120000',
    });
    expect(await statesOf()).toEqual([`2 ${id}`]);
    await firm.act(invoice.UnissueInvoice, invoice.UnissueInvoiceHandler, id, {});
    expect(await statesOf()).toEqual([`1 ${id}`]);
    await firm.act(invoice.VoidInvoice, invoice.VoidInvoiceHandler, id, {});
    expect(await statesOf()).toEqual(['1 null']);
  });
});
