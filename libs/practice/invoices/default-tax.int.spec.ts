import { createTestStore, type TestStore } from '../../../test/support/store';
import { definitions } from '../areas';
import { UpdateMatter, UpdateMatterHandler } from '../matters/matter.commands';
import { type BillingFirm, createBillingFirm } from '../testing/billing-firm';
import * as draft from './invoice.draft.commands';
import { issueInvoice } from './invoice.issue';

describe("an invoice without tax codes of its own, whose matter's code changes while it is issued", () => {
  let store: TestStore;
  let firm: BillingFirm;

  beforeAll(async () => {
    store = await createTestStore(definitions);
    firm = await createBillingFirm(store);
  });
  afterAll(() => store.close());

  it('is taxed by the new code', async () => {
    const [[matterId, { clientId }]] = firm.matters;
    const lines = [{ kind: 'Fee' as const, amount: 100 }];
    const body = { clientId, matterId, issueDate: '2025-06-30', lines };
    const { id } = (await firm.act(draft.CreateInvoice, draft.CreateInvoiceHandler, body)).record;
    let attempts = 0;
    const { record } = await store.store.execute(firm.context, async (work) => {
      const issued = await issueInvoice(work, id, {});
      attempts += 1;
      if (attempts === 1) {
        expect(issued.data).toMatchObject({ tax: '20' });
        const changed = { taxCodeId: firm.taxCodes.get('RED') };
        await firm.act(UpdateMatter, UpdateMatterHandler, matterId, changed);
      }
      return issued;
    });
    expect(record.data).toMatchObject({ tax: '5' });
    expect(attempts).toBe(2);
  });
});
