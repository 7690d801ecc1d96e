import { SystemClock } from '#kernel/clock';
import { toId } from '#kernel/ids';
import type { RequestContext } from '#platform/request-context';
import { CreateRateSet, CreateRateSetHandler } from '#practice/rate-sets/rate-set.commands';
import { newTenant, Tenant } from '#practice/tenants/tenant';
import { waitFor } from '../../../test/support/wait-for';
import {
  DeleteWebhook,
  DeleteWebhookHandler,
  SwitchWebhook,
  SwitchWebhookHandler,
} from '../endpoints/endpoint.commands';
import type { Outcome } from '../protocol/sender';
import { Redeliver, RedeliverHandler, ReplayWebhook, ReplayWebhookHandler } from '../queue/delivery.commands';
import { ScriptedSender } from '../testing/scripted-sender';
import { openWebhooks, type Webhooks } from '../testing/webhook-parts';
import { Rendering } from './bodies/rendering';
import type { Dispatcher } from './dispatcher';
import { DueDeliveries } from './lanes/due-deliveries';

let hooks: Webhooks;
let context: RequestContext;
let dispatcher: Dispatcher;
/** Answers by URL; the default is 204. */
const answers = new Map<string, () => Partial<Outcome> | Promise<Partial<Outcome>>>();
const sender = new ScriptedSender(({ url }) => answers.get(url)?.() ?? { status: 204 });
const clock = new SystemClock();
let count = 0;
const address = () => `https://hooks.example.com/${++count}`;

beforeAll(async () => {
  hooks = await openWebhooks(clock);
  hooks.fanOut.start();
  dispatcher = hooks.dispatcher(sender);
  dispatcher.start();
});
beforeEach(async () => {
  context = await hooks.tenant();
});
afterAll(() => hooks.close());

const sentTo = async (url: string, number: number) => {
  await waitFor(() => sender.to(url).length >= number, { description: `${number} messages to ${url}` });
  return sender.to(url);
};
const states = async (webhook: string) => {
  const rows = await hooks.sql<{ state: number; attempts: number; event_id: string }>(
    'select state, attempts, event_id from webhooks.deliveries where webhook_id = $1 order by event_id',
    [webhook],
  );
  return rows;
};
const ended = async (webhook: string, number: number) => {
  const isOver = async () => {
    const rows = await states(webhook);
    return rows.length === number && rows.every(({ state }) => state !== 0);
  };
  await waitFor(isOver, { description: `${number} deliveries to end` });
  return states(webhook);
};
const id = (webhook: string) => toId('webhook', webhook);
const ago = (days: number) => new Date(Date.now() - days * 86_400_000).toISOString();

it('looks less and less often while the read models are behind', async () => {
  const fetch = jest.spyOn(DueDeliveries.prototype, 'fetch');
  const render = jest.spyOn(Rendering.prototype, 'render');
  await hooks.hook(context, { url: address() });
  await hooks.event(context);
  await waitFor(() => render.mock.calls.length >= 7, { description: 'seven looks' });
  expect(fetch.mock.calls.length).toBeLessThan(50);
  fetch.mockRestore();
  render.mockRestore();
});

it('a full message waits until the read models show the event; a thin message does not', async () => {
  const [full, thin] = [address(), address()];
  await hooks.hook(context, { url: full });
  await hooks.hook(context, { url: thin, payloadMode: 'thin' });
  const { record } = await hooks.event(context, 'Probate');
  const [message] = await sentTo(thin, 1);
  expect(message.body.data).toEqual({ id: record.id, sourceId: 'integration:test' });
  expect(message.body.sequence).toBe(1);
  expect(sender.to(full)).toEqual([]);
  hooks.project();
  const [whole] = await sentTo(full, 1);
  expect(whole.body.data.data).toMatchObject({ id: record.id, name: 'Probate', version: 1 });
  expect(whole.body).toMatchObject({ id: message.body.id, tenant: context.tenant.alias });
  expect(whole.body.requestId).not.toBe(message.body.requestId);
});

it('leaves out a record that would make the body too large', async () => {
  const url = address();
  await hooks.hook(context, { url, events: ['rateset.*'] });
  await hooks.store.store.execute(context, async (work) =>
    work.create(Tenant, toId('tenant', context.tenant.streamId), newTenant('Firm', 'uk')),
  );
  const rateSet = async (name: string, number: number) => {
    // An event can hold all of them, but the record also shows the empty fields of each.
    const entries = Array.from({ length: number }, (_, index) => ({
      rate: { Amount: 250, Currency: 'GBP' },
      jobTitle: '€'.repeat(45) + index,
    }));
    const command = new CreateRateSet(context, { name, currency: 'GBP', entries });
    return (await new CreateRateSetHandler(hooks.store.store).execute(command)).record.id;
  };
  const ids = [await rateSet('Small', 10), await rateSet('Large', 1_000)];
  hooks.project();
  const sent = await sentTo(url, 2);
  const [whole, cut] = ids.map((id) => sent.find(({ body }) => body.data.id === id)!);
  expect(whole.body.data.data.entries).toHaveLength(10);
  expect(whole.body).not.toHaveProperty('truncated');
  expect(cut.body).toMatchObject({ data: { id: ids[1], sourceId: 'integration:test' }, truncated: true });
  expect(cut.body.data).not.toHaveProperty('data');
});

it('sends five messages at once to each webhook, and a slow webhook keeps no other waiting', async () => {
  const [slow, quick] = [address(), address()];
  let release = () => {};
  const held = new Promise<void>((resolve) => {
    release = resolve;
  });
  answers.set(slow, () => held.then(() => ({ status: 200 })));
  const webhook = await hooks.hook(context, { url: slow });
  await hooks.hook(context, { url: quick });
  for (let number = 0; number < 12; number++) await hooks.event(context, `D${number}`);
  await sentTo(quick, 12);
  expect(await sentTo(slow, 5)).toHaveLength(5);
  release();
  await ended(webhook, 12);
  expect(sender.to(slow)).toHaveLength(12);
});

it('takes over the webhooks of a worker that died', async () => {
  const url = address();
  const webhook = await hooks.hook(context, { url });
  const since = Date.now();
  await hooks.sql(
    `update webhooks.lanes set leased_by = gen_random_uuid(), leased_until = clock_timestamp() + interval '2 seconds'
     where webhook_id = $1`,
    [webhook],
  );
  await hooks.event(context);
  await sentTo(url, 1);
  expect(Date.now() - since).toBeGreaterThanOrEqual(2_000);
});

it('sends nothing to a paused webhook, and deletes the deliveries of a removed one', async () => {
  const url = address();
  const webhook = await hooks.hook(context, { url });
  const parts = [hooks.requests, hooks.subscriptions, hooks.signal] as const;
  const pause = (paused: boolean) =>
    new SwitchWebhookHandler(...parts).execute(new SwitchWebhook(context, id(webhook), paused));
  await hooks.event(context, 'One');
  await ended(webhook, 1);
  await pause(true);
  await hooks.event(context, 'Two');
  await waitFor(async () => (await states(webhook)).length === 2, { description: 'the second to be queued' });
  dispatcher.look();
  await hooks.event(context, 'Three');
  await waitFor(async () => (await states(webhook)).length === 3, { description: 'the third to be queued' });
  expect(sender.to(url)).toHaveLength(1);
  await pause(false);
  await ended(webhook, 3);
  await new DeleteWebhookHandler(hooks.requests, hooks.signal).execute(
    new DeleteWebhook(context, id(webhook)),
  );
  expect(await hooks.pruning.prune()).toBe(3);
  expect(await states(webhook)).toEqual([]);
});

it('refuses a replay of a time that ends before it begins', async () => {
  const webhook = await hooks.hook(context, { url: address() });
  const handler = new ReplayWebhookHandler(hooks.requests, hooks.subscriptions, hooks.store.config);
  // As a text it is an hour later than the instant.
  const inParis = (instant: string) =>
    new Date(new Date(instant).getTime() + 3_600_000).toISOString().replace('Z', '+01:00');
  for (const [since, until] of [
    [ago(1), ago(2)],
    [ago(1), inParis(ago(1.01))],
  ])
    await expect(
      handler.execute(new ReplayWebhook(context, id(webhook), { since, until, mode: 'all' })),
    ).rejects.toMatchObject({ code: 'invalid_range', errors: [{ pointer: '/until' }] });
});

it('refuses a replay of a time that has not begun', async () => {
  const webhook = await hooks.hook(context, { url: address() });
  const handler = new ReplayWebhookHandler(hooks.requests, hooks.subscriptions, hooks.store.config);
  const since = new Date(Date.now() + 60_000).toISOString();
  const until = new Date(Date.now() + 120_000).toISOString();
  for (const body of [{ since }, { since, until }])
    await expect(
      handler.execute(new ReplayWebhook(context, id(webhook), { ...body, mode: 'all' })),
    ).rejects.toMatchObject({ code: 'invalid_range' });
});

it('a replay of a time before the days that are kept sends nothing', async () => {
  const url = address();
  const webhook = await hooks.hook(context, { url });
  await hooks.event(context, 'Recent');
  await ended(webhook, 1);
  const handler = new ReplayWebhookHandler(hooks.requests, hooks.subscriptions, hooks.store.config);
  const [since, until] = [ago(90), ago(60)];
  const reply = await handler.execute(new ReplayWebhook(context, id(webhook), { since, until, mode: 'all' }));
  expect(reply.status).toBe(202);
  await hooks.replays.run();
  const open = 'select from webhooks.replays where webhook_id = $1 and finished_at is null';
  expect(await hooks.sql(open, [webhook])).toEqual([]);
  expect(await states(webhook)).toMatchObject([{ state: 1, attempts: 1 }]);
  expect(sender.to(url)).toHaveLength(1);
});

it('sends again on request: one delivery, the failed ones of a time, or all of a time', async () => {
  const url = address();
  const webhook = await hooks.hook(context, { url });
  const since = new Date(Date.now() - 1_000).toISOString();
  const first = await hooks.event(context, 'One');
  await ended(webhook, 1);
  const replay = async (mode: 'failed' | 'all') => {
    const handler = new ReplayWebhookHandler(hooks.requests, hooks.subscriptions, hooks.store.config);
    const reply = await handler.execute(new ReplayWebhook(context, id(webhook), { since, mode }));
    await hooks.replays.run();
    return reply.status;
  };
  expect(await replay('failed')).toBe(202);
  expect(sender.to(url)).toHaveLength(1);
  await hooks.sql(`update webhooks.deliveries set state = 2 where webhook_id = $1`, [webhook]);
  await hooks.event(context, 'Two');
  await replay('failed');
  await sentTo(url, 3);
  await ended(webhook, 2);
  await replay('all');
  await sentTo(url, 5);
  const [{ event_id }] = await ended(webhook, 2);
  const again = new RedeliverHandler(hooks.requests, hooks.signal);
  await again.execute(new Redeliver(context, id(webhook), toId('delivery', event_id)));
  const all = await sentTo(url, 6);
  const same = all.filter(({ body }) => body.data.id === first.record.id);
  expect(same).toHaveLength(4);
  expect(new Set(same.map(({ headers }) => headers['webhook-id'])).size).toBe(1);
  await waitFor(async () => (await states(webhook))[0].attempts === 4, { description: 'four attempts' });
  await expect(
    again.execute(new Redeliver(context, id(webhook), `delivery_${'0'.repeat(32)}`)),
  ).rejects.toMatchObject({ code: 'not_found' });
});

it.each(['failed', 'all'] as const)(
  'a replay of the kind "%s" sends at once what waits for its next attempt',
  async (mode) => {
    const url = address();
    const webhook = await hooks.hook(context, { url });
    const since = ago(1);
    answers.set(url, () => ({ status: 500 }));
    await hooks.event(context);
    await waitFor(async () => (await states(webhook)).at(0)?.attempts === 1, { description: 'an attempt' });
    await hooks.sql(
      `update webhooks.deliveries set failures = 8, due_at = due_at + interval '1 day' where webhook_id = $1`,
      [webhook],
    );
    answers.delete(url);
    const handler = new ReplayWebhookHandler(hooks.requests, hooks.subscriptions, hooks.store.config);
    await handler.execute(new ReplayWebhook(context, id(webhook), { since, mode }));
    await hooks.replays.run();
    expect(await ended(webhook, 1)).toMatchObject([{ state: 1, attempts: 2 }]);
  },
);
