import type { Folded } from '#event-store/events';
import { at } from '#event-store/load';
import { createTestStore, type TestStore } from '../../../test/support/store';
import { definitions } from '../areas';
import { type BillingFirm, createBillingFirm } from '../testing/billing-firm';
import { RecordWorkItem, RecordWorkItemHandler } from '../work-items/work-item.commands';
import { WorkItem, type WorkItemState } from '../work-items/work-item.lookup';
import { MAX_LINES } from './invoice';
import * as invoice from './invoice.commands';
import * as draft from './invoice.draft.commands';

const GBP = { Amount: 100, Currency: 'GBP' };

describe('an invoice with as many lines as are allowed', () => {
  let store: TestStore;
  let firm: BillingFirm;
  let matterId: string;
  let clientId: string;
  const items: string[] = [];

  beforeAll(async () => {
    store = await createTestStore(definitions);
    firm = await createBillingFirm(store);
    [[matterId, { clientId }]] = firm.matters;
    const entry = {
      itemType: 0 as const,
      entryDate: '2025-06-12T10:00:00.000Z',
      durationTicks: 36_000_000_000,
    };
    // The longest possible narration: each character takes three bytes.
    const body = {
      matterId,
      employeeId: firm.employeeIds[0],
      rate: GBP,
      title: '漢'.repeat(2_000),
      ...entry,
    };
    const record = () => firm.act(RecordWorkItem, RecordWorkItemHandler, body);
    // On a busy machine, more requests at once could wait for a connection longer than its timeout.
    while (items.length <= MAX_LINES) {
      const some = Math.min(50, MAX_LINES + 1 - items.length);
      const made = await Promise.all(Array.from({ length: some }, record));
      items.push(...made.map(({ record: { id } }) => id));
    }
  });
  afterAll(() => store.close());

  const statesOf = async () => {
    const asked = items.slice(0, MAX_LINES).map((id) => at(WorkItem, id));
    const folded = (await store.loader.load(firm.context.tenant.id, asked)) as Folded<WorkItemState>[];
    const states = folded.map(({ data }) => data);
    return [...new Set(states.map(({ state, invoiceId }) => `${state} ${invoiceId}`))];
  };

  it('can be drafted, issued, unissued and voided, each time with all its items', async () => {
    const lines = items.slice(0, MAX_LINES).map((sourceId) => ({ kind: 'Fee' as const, sourceId }));
    const create = (more: object[]) =>
      firm.act(draft.CreateInvoice, draft.CreateInvoiceHandler, {
        clientId,
        matterId,
        lines: [...lines, ...more] as typeof lines,
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
