import { Logger } from '@nestjs/common';
import { SystemClock } from '#kernel/clock';
import { toId, toUuid } from '#kernel/ids';
import { newTenant, Tenant } from '#practice/tenants/tenant';
import { GetTenant, GetTenantHandler } from '#practice/tenants/tenant.queries';
import { waitFor } from '../../../test/support/wait-for';
import { ScriptedSender } from '../testing/scripted-sender';
import { openWebhooks, type Webhooks } from '../testing/webhook-parts';
import { DeliverySettings } from './delivery-settings';
import type { Item } from './lane';
import { QueuePools } from './queue-pools';
import { Rendering } from './rendering';

let hooks: Webhooks;
const sender = new ScriptedSender(() => ({ status: 204 }));

beforeAll(async () => {
  hooks = await openWebhooks(new SystemClock());
  hooks.fanOut.start();
  hooks.dispatcher(sender).start();
  hooks.project();
});
afterAll(() => hooks.close());

it('tells of a promoted import with the tenant as it is read', async () => {
  const context = await hooks.tenant();
  const url = 'https://hooks.example.com/imports';
  await hooks.hook(context, { url, events: ['import.promoted'] });
  const { alias, streamId } = context.tenant;
  const requestId = '0198c2f1-a4b8-7c3d-9e5f-60718293a4b5';
  const done = { requestId, sourceSystem: 'Ledger 4' };
  const at = '2026-04-01T06:00:00.000Z';
  const data = { ...done, records: { created: 2, changed: 1 }, at };
  await hooks.store.store.execute(context, async (work) =>
    work.create(Tenant, toId('tenant', streamId), [
      ...newTenant('Firm', 'uk'),
      { type: 'ImportPromoted', data },
    ]),
  );
  await waitFor(() => sender.to(url).length > 0, { description: 'the message' });
  const [{ body }] = sender.to(url);
  const { data: read } = (await new GetTenantHandler(hooks.store.reads).execute(new GetTenant(context)))
    .body as { data: object };
  expect(read).toMatchObject({ alias, lastImport: { ...done, promotedAt: at, created: 2, changed: 1 } });
  const told = { id: toId('tenant', streamId), data: read, sourceId: 'integration:test' };
  expect(body).toMatchObject({ type: 'import.promoted', sequence: 2, changed: ['lastImport'], data: told });
});

it('records that cannot be read hold up no others', async () => {
  const context = await hooks.tenant();
  const { id } = context.tenant;
  const { record } = await hooks.event(context);
  const pools = new QueuePools(hooks.store.config);
  const rendering = new Rendering(pools, hooks.store.writes, new DeliverySettings());
  const [unknown, known] = ['nonsense', 'division'].map((kind) => {
    const delivery = { tenant_id: id, kind, subject: toUuid(record.id), version: 1, at: '0.0.0' };
    return { delivery, lane: { config: { ...context.tenant, payload_mode: 'full' } } } as unknown as Item;
  });
  const logged = jest.spyOn(Logger.prototype, 'error').mockImplementation();
  await waitFor(
    async () => {
      await rendering.render([unknown, known]);
      return known.record?.text !== 'null';
    },
    { description: 'the read model' },
  );
  expect(logged).toHaveBeenCalledWith(expect.stringContaining('nonsense'));
  logged.mockRestore();
  expect(known.record).toMatchObject({ version: 1, text: expect.stringContaining(record.id) });
  expect(unknown.record).toBeUndefined();
  expect(unknown.lookAt).toBeGreaterThan(performance.now());
  await pools.end();
});
