import type { RequestContext } from '#platform/request-context';
import {
  ActivateClient,
  ActivateClientHandler,
  CreateClient,
  CreateClientHandler,
} from '../clients/client.commands';
import { CreateEntity, CreateEntityHandler } from '../entities/entity.commands';
import { IssueInvoice, IssueInvoiceHandler } from '../invoices/invoice.commands';
import { CreateInvoice, CreateInvoiceHandler } from '../invoices/invoice.draft.commands';
import { OpenMatter, OpenMatterHandler } from '../matters/matter.commands';
import { type Demo, openDemo } from '../testing/demo-parts';
import type { DemoLoaded } from './demo-load';

describe('a tenant with a demo firm', () => {
  let demo: Demo;
  let context: RequestContext;
  let loaded: DemoLoaded;

  beforeAll(async () => {
    demo = await openDemo('uk', new Date('2026-11-20T21:00:00.000Z'));
    context = await demo.tenant('demo');
    loaded = await demo.load.load('demo', { items: 300, years: 1 });
  });
  afterAll(() => demo.close());

  it('can go on: the next client, matter and invoice have the next numbers', async () => {
    const { store } = demo.store;
    const [numbered] = await demo.sql<{ value: string }>(
      `select value from event_store.counters where name = 'invoice_number'`,
    );
    const [division] = await demo.sql<{ id: string }>(
      `select 'division_' || replace(stream_id::text, '-', '') as id from event_store.streams where kind = 'division'`,
    );
    const who = { entityType: 'Individual' as const, firstName: 'Ada', lastName: 'Lovelace' };
    const entity = await new CreateEntityHandler(store).execute(new CreateEntity(context, who));
    const client = await new CreateClientHandler(store).execute(
      new CreateClient(context, { entityId: entity.record.id }),
    );
    expect(client.record.data.clientNumber).toBe(String(loaded.clients + 1));
    const clientId = client.record.id;
    await new ActivateClientHandler(store).execute(new ActivateClient(context, clientId));
    const matter = await new OpenMatterHandler(store).execute(
      new OpenMatter(context, { clientId, divisionId: division.id, title: 'Engine' }),
    );
    expect(matter.record.data.matterNumber).toBe(String(loaded.matters + 1));
    const lines = [{ kind: 'Fee' as const, description: 'Fixed fee', amount: 100 }];
    const invoice = await new CreateInvoiceHandler(store).execute(
      new CreateInvoice(context, { clientId, matterId: matter.record.id, lines }),
    );
    const { record } = await new IssueInvoiceHandler(store).execute(
      new IssueInvoice(context, invoice.record.id, {}),
    );
    expect(record.data).toMatchObject({ number: String(Number(numbered.value) + 1), total: '120' });
  });

  it('is not loaded twice: a tenant with other records is refused, and nothing is written', async () => {
    const count = () => demo.sql('select count(*)::int from event_store.events');
    const before = await count();
    const refused = async (alias: string, options: { items: number; years: number; matters?: number }) =>
      demo.load.load(alias, options).then(
        () => 'loaded',
        ({ code }) => code,
      );
    expect(await refused('demo', { items: 10, years: 1 })).toBe('tenant_has_records');
    expect(await refused('nobody', { items: 10, years: 1 })).toBe('tenant_not_found');
    expect(await refused('demo', { items: 0, years: 1 })).toBe('invalid_size');
    expect(await refused('demo', { items: 10, years: 21 })).toBe('invalid_size');
    expect(await refused('demo', { items: 10, years: 1, matters: 1.5 })).toBe('invalid_size');
    expect(await count()).toEqual(before);
  });
});
