import { Logger } from '@nestjs/common';
import { toUuid } from '#kernel/ids';
import type { RequestContext } from '#platform/request-context';
import { projectionParts } from '#projections/testing/parts';
import { createTestStore, type TestStore } from '../../../test/support/store';
import { waitFor } from '../../../test/support/wait-for';
import { definitions } from '../areas';
import {
  ActivateClient,
  ActivateClientHandler,
  CreateClient,
  CreateClientHandler,
} from '../clients/client.commands';
import { CreateDivision, CreateDivisionHandler } from '../divisions/division.commands';
import { CreateEntity, CreateEntityHandler } from '../entities/entity.commands';
import * as invoice from '../invoices/invoice.commands';
import * as draft from '../invoices/invoice.draft.commands';
import { invoicesProjection } from '../invoices/invoice.projection';
import { CreateRecord, CreateRecordHandler } from '../records/records.commands';
import { taxCodeWriting } from '../tax-codes/tax-code.commands';
import { createFirm, getRecord, listRecords } from '../testing/firm';
import type { Do } from '../testing/work-life';
import { OpenMatter, OpenMatterHandler } from './matter.commands';
import { mattersProjection } from './matter.projection';
import { matters } from './matter.queries';

/** A firm with a client whose matters can be billed. */
async function openFirm(store: TestStore) {
  const context: RequestContext = await createFirm(store);
  const act: Do = (Command, Handler, ...args) =>
    new Handler(store.store).execute(new Command(context, ...args));
  const tax = { code: 'ZERO', name: 'Zero rate', category: 'Zero' };
  const taxCodeId = (await act(CreateRecord, CreateRecordHandler, taxCodeWriting, tax)).record.id;
  const person = { entityType: 'Individual' as const, lastName: 'Lovelace' };
  const entityId = (await act(CreateEntity, CreateEntityHandler, person)).record.id;
  const clientId = (await act(CreateClient, CreateClientHandler, { entityId })).record.id;
  await act(ActivateClient, ActivateClientHandler, clientId);
  const divisionId = (await act(CreateDivision, CreateDivisionHandler, { name: 'Litigation' })).record.id;
  const lines = [{ kind: 'Fee' as const, amount: 10, taxCodeId }];
  return {
    context,
    openMatter: async (title: string) =>
      (await act(OpenMatter, OpenMatterHandler, { clientId, divisionId, title })).record.id,
    draft: async (matterId: string) =>
      (await act(draft.CreateInvoice, draft.CreateInvoiceHandler, { clientId, matterId, lines })).record.id,
    discard: (id: string) => act(draft.DeleteInvoice, draft.DeleteInvoiceHandler, id),
    issue: (id: string) => act(invoice.IssueInvoice, invoice.IssueInvoiceHandler, id, {}),
    unissue: (id: string) => act(invoice.UnissueInvoice, invoice.UnissueInvoiceHandler, id, {}),
    void: (id: string) => act(invoice.VoidInvoice, invoice.VoidInvoiceHandler, id, {}),
  };
}

describe("a matter's oldest draft", () => {
  let store: TestStore;
  let parts: ReturnType<typeof projectionParts>;
  let firm: Awaited<ReturnType<typeof openFirm>>;
  beforeAll(async () => {
    jest.spyOn(Logger.prototype, 'log').mockImplementation();
    store = await createTestStore(definitions);
    firm = await openFirm(store);
    parts = projectionParts(store, [mattersProjection, invoicesProjection]);
    parts.runner.start();
  });
  afterAll(async () => {
    await parts.bus.onApplicationShutdown();
    await store.close();
  });

  /** As a matter's GET has it, and the list for all matters. */
  async function shown(matterId: string) {
    await waitFor(async () => (await parts.status.list()).every(({ lag }) => lag === 0), {
      description: 'the read models to show all events',
    });
    const { draftInvoiceId } = await getRecord(store, firm.context, matters, matterId);
    const listed = await listRecords(store, firm.context, matters, { sort: 'title' });
    return { draftInvoiceId, listed: listed.map((row) => [row.title, row.draftInvoiceId]) };
  }

  it('is shown on GET and in the list while it is a draft', async () => {
    const [busy, quiet] = [await firm.openMatter('Busy'), await firm.openMatter('Quiet')];
    const [first, second, third] = [await firm.draft(busy), await firm.draft(busy), await firm.draft(busy)];
    const show = (draftInvoiceId: string | null) => ({
      draftInvoiceId,
      listed: [
        ['Busy', draftInvoiceId],
        ['Quiet', null],
      ],
    });
    expect(first).toMatch(/^invoice_[0-9a-f]{32}$/);
    expect(await shown(busy)).toEqual(show(first));
    expect((await shown(quiet)).draftInvoiceId).toBeNull();
    await firm.discard(first);
    expect(await shown(busy)).toEqual(show(second));
    await firm.issue(second);
    expect(await shown(busy)).toEqual(show(third));
    await firm.unissue(second);
    expect(await shown(busy)).toEqual(show(second));
    await firm.void(second);
    await firm.discard(third);
    expect(await shown(busy)).toEqual(show(null));
  });

  it('is never that of another tenant', async () => {
    const other = await openFirm(store);
    const [ours, theirs] = [await firm.openMatter('Ours'), await other.openMatter('Theirs')];
    const mine = await firm.draft(ours);
    await other.draft(theirs);
    await shown(ours);
    // As if the ids of the two tenants were the same.
    await store.reads.pool.query('update read_model.invoices set matter_id = $1 where tenant_id = $2', [
      toUuid(ours),
      other.context.tenant.id,
    ]);
    await firm.discard(mine);
    expect((await shown(ours)).draftInvoiceId).toBeNull();
  });
});
