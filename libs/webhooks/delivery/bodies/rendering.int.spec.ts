import { Logger } from '@nestjs/common';
import { SystemClock } from '#kernel/clock';
import { toId, toUuid } from '#kernel/ids';
import { newTenant, Tenant } from '#practice/tenants/tenant';
import { GetTenant, GetTenantHandler } from '#practice/tenants/tenant.queries';
import { waitFor } from '../../../../test/support/wait-for';
import { listOf } from '../../events/event-catalogue';
import { ScriptedSender } from '../../testing/scripted-sender';
import { openWebhooks, type Webhooks } from '../../testing/webhook-parts';
import { DeliverySettings } from '../delivery-settings';
import { type Item, Lane } from '../lanes/lane';
import type { LaneConfig } from '../lanes/lane-config';
import { QueuePools } from '../queue-pools';
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

it('the message of a promoted import has the tenant as the API shows it', async () => {
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

it('records that cannot be read do not hold up others', async () => {
  const context = await hooks.tenant();
  const { id } = context.tenant;
  const { record } = await hooks.event(context);
  const pools = new QueuePools(hooks.store.config);
  const rendering = new Rendering(pools, hooks.store.writes, new DeliverySettings());
  const config = { ...context.tenant, payload_mode: 'full' } as unknown as LaneConfig;
  const lane = new Lane(new DeliverySettings(), config, Infinity);
  const [unknown, known] = ['nonsense', 'division'].map((kind) => {
    const delivery = { tenant_id: id, kind, subject: toUuid(record.id), version: 1, at: '0.0.0' };
    return { delivery, lane } as unknown as Item;
  });
  const logged = jest.spyOn(Logger.prototype, 'error').mockImplementation();
  await waitFor(
    async () => {
      await rendering.render([unknown, known], () => undefined);
      return known.record?.text !== 'null';
    },
    { description: 'the read model to show the records' },
  );
  expect(logged).toHaveBeenCalledWith(expect.stringContaining('nonsense'));
  logged.mockRestore();
  expect(known.record).toMatchObject({ version: 1, text: expect.stringContaining(record.id) });
  expect(unknown.record).toBeUndefined();
  expect(unknown.lookAt).toBeGreaterThan(performance.now());
  await pools.end();
});

it('records that cannot be read because the database is away are told in a warning', async () => {
  const pools = new QueuePools(hooks.store.config);
  const refused = Object.assign(new Error('connect ECONNREFUSED'), { code: 'ECONNREFUSED' });
  jest.spyOn(pools.records, 'query').mockImplementation(() => Promise.reject(refused));
  const [errors, warnings] = (['error', 'warn'] as const).map((level) =>
    jest.spyOn(Logger.prototype, level).mockImplementation(),
  );
  const lane = new Lane(new DeliverySettings(), { payload_mode: 'full' } as LaneConfig, Infinity);
  const delivery = { tenant_id: 7, kind: 'division', subject: 's', version: 1, at: '0.0.0' };
  const rendering = new Rendering(pools, hooks.store.writes, new DeliverySettings());
  await rendering.render([{ delivery, lane } as unknown as Item], () => undefined);
  expect(warnings.mock.calls).toEqual([
    ['Deliveries of division of tenant 7 cannot be rendered: connect ECONNREFUSED'],
  ]);
  expect(errors).not.toHaveBeenCalled();
  jest.restoreAllMocks();
  await pools.end();
});

/** A lane with a waiting delivery of a division for each name; the read model has all of them. */
async function waiting(names: string[], atOnceChars: number) {
  const context = await hooks.tenant();
  const { id } = context.tenant;
  const ids: string[] = [];
  for (const name of names) ids.push((await hooks.event(context, name)).record.id);
  const shown = async () =>
    (await hooks.sql('select from read_model.divisions where tenant_id = $1', [id])).length === ids.length;
  await waitFor(shown, { description: 'the read model to show the records' });
  const config = { ...context.tenant, payload_mode: 'full' } as unknown as LaneConfig;
  const settings = Object.assign(new DeliverySettings(), { atOnceChars });
  const pools = new QueuePools(hooks.store.config);
  const rendering = new Rendering(pools, hooks.store.writes, settings);
  const lane = new Lane(settings, config, Infinity);
  const items = ids.map((subject) => {
    const delivery = { tenant_id: id, kind: 'division', subject: toUuid(subject), version: 1, at: '0.0.0' };
    return { delivery, lane } as unknown as Item;
  });
  return { ids, pools, rendering, lane, items };
}

it('when not all records fit into memory, the first are read, and the others when they are asked for again', async () => {
  const { ids, pools, rendering, lane, items } = await waiting(['Probate', 'Leases'], 10);
  // The records before were shorter than these.
  lane.expected = 1;
  const read = async () => {
    await rendering.render(
      items.filter(({ record }) => !record),
      () => undefined,
    );
    return items.filter(({ record }) => record).length;
  };
  expect(await read()).toBe(1);
  expect(lane.expected).toBeGreaterThan(100);
  expect(items.find(({ record }) => !record)).toMatchObject({ isBeingRendered: false });
  expect(await read()).toBe(2);
  for (const [index, { record }] of items.entries()) expect(record?.text).toContain(ids[index]);
  await pools.end();
});

it('when records turn out longer than expected, no more are read than there is room for', async () => {
  const { pools, rendering, lane, items } = await waiting(['A', 'B', 'C', 'D', 'E', 'F', 'G', 'H'], 1_000);
  // Half of the records are expected to fit into one statement; each has about three hundred characters.
  lane.expected = 250;
  lane.room = 2;
  await rendering.render(items, () => undefined);
  expect(items.filter(({ record }) => record).length).toBe(1);
  expect(items.filter(({ isBeingRendered }) => isBeingRendered).length).toBe(0);
  await pools.end();
});

it('a record that is too long for a body is not kept', async () => {
  const context = await hooks.tenant();
  const { record } = await hooks.event(context);
  const view = jest.spyOn(listOf('division'), 'view').mockReturnValue({ name: 'x'.repeat(300_000) } as never);
  const pools = new QueuePools(hooks.store.config);
  const rendering = new Rendering(pools, hooks.store.writes, new DeliverySettings());
  const config = { ...context.tenant, payload_mode: 'full' } as unknown as LaneConfig;
  const lane = new Lane(new DeliverySettings(), config, Infinity);
  const { id } = context.tenant;
  const delivery = { tenant_id: id, kind: 'division', subject: toUuid(record.id), version: 1, at: '0.0.0' };
  const item = { delivery, lane } as unknown as Item;
  await waitFor(
    async () => {
      await rendering.render([item], () => undefined);
      return item.record!.length > 1_000;
    },
    { description: 'the read model to show the records' },
  );
  expect(item.record).toMatchObject({ version: 1, text: undefined });
  expect(lane.expected).toBe(item.record!.length);
  view.mockRestore();
  await pools.end();
});
