import { createTestStore, type TestStore } from '../../../test/support/store';
import { definitions } from '../areas';
import { type BillingFirm, createBillingFirm } from '../testing/billing-firm';
import { RecordWorkItem, RecordWorkItemHandler } from '../work-items/work-item.commands';
import * as draft from './invoice.draft.commands';

describe('a line that charges an item of another draft', () => {
  let store: TestStore;
  let firm: BillingFirm;

  beforeAll(async () => {
    store = await createTestStore(definitions);
    firm = await createBillingFirm(store);
  });
  afterAll(() => store.close());

  it('is refused by its place in the request, also when the lines before it stay', async () => {
    const [[matterId, { clientId }]] = firm.matters;
    const { record: item } = await firm.act(RecordWorkItem, RecordWorkItemHandler, {
      matterId,
      employeeId: firm.employeeIds[0],
      itemType: 1,
      entryDate: '2025-06-12T10:00:00.000Z',
      rate: { Amount: 100, Currency: 'GBP' },
    });
    const taken = { kind: 'Fee' as const, sourceId: item.id };
    const own = { kind: 'Text' as const, description: 'Thanks' };
    const create = async (lines: (typeof taken | typeof own)[]) =>
      (await firm.act(draft.CreateInvoice, draft.CreateInvoiceHandler, { clientId, matterId, lines })).record;
    await create([taken]);
    const other = await create([own, own]);
    const [first] = other.data.lines;
    for (const [lines, index] of [
      [[taken], 0],
      [[{ ...own, id: first.id, amount: 0 }, own, taken], 2],
    ] as const)
      await expect(
        firm.act(draft.UpdateInvoice, draft.UpdateInvoiceHandler, other.id, { lines: [...lines] }),
      ).rejects.toMatchObject({ code: 'reserved', errors: [{ pointer: `/lines/${index}/sourceId` }] });
  });
});
