import { Logger } from '@nestjs/common';
import { toId } from '#kernel/ids';
import type { RequestContext } from '#platform/request-context';
import { SetClock } from '../../../test/support/set-clock';
import { waitFor } from '../../../test/support/wait-for';
import { SwitchWebhook, SwitchWebhookHandler } from '../endpoints/endpoint.commands';
import { ScriptedSender } from '../testing/scripted-sender';
import { openWebhooks, type Webhooks } from '../testing/webhook-parts';
import type { Dispatcher } from './dispatcher';

const SECOND = 1;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const STEPS = [
  5,
  10,
  5 * MINUTE,
  30 * MINUTE,
  2 * HOUR,
  5 * HOUR,
  10 * HOUR,
  14 * HOUR,
  20 * HOUR,
  24 * HOUR,
];

interface Delivery {
  state: number;
  attempts: number;
  failures: number;
  due_at: Date;
  status: number | null;
  error: string | null;
}

const clock = new SetClock(new Date('2026-03-01T12:00:00Z'));
let hooks: Webhooks;
let context: RequestContext;
let dispatcher: Dispatcher;

const dead = 'https://dead.example.com/in';
const other = 'https://other.example.com/in';
let answer: { status?: number; error?: string; retryAfter?: string };
const sender = new ScriptedSender(({ url }) => (url === dead ? answer : { status: 204 }));

beforeAll(async () => {
  hooks = await openWebhooks(clock);
  hooks.project();
  hooks.fanOut.start();
  // The middle of the random deviation: waits are exactly as planned.
  dispatcher = hooks.dispatcher(sender, { random: () => 0.5 });
  dispatcher.start();
});
beforeEach(async () => {
  answer = { status: 500 };
  sender.sent.length = 0;
  context = await hooks.tenant();
});
afterAll(() => hooks.close());

const sentTo = (url: string) => sender.to(url, context.tenant);
const deliveries = (webhook: string) =>
  hooks.sql<Delivery>('select * from webhooks.deliveries where webhook_id = $1 order by event_id', [webhook]);
const delivery = async (webhook: string) => (await deliveries(webhook))[0];

/** The only delivery, once this many attempts at it have been written down. */
async function attempted(webhook: string, count: number): Promise<Delivery> {
  await waitFor(async () => (await delivery(webhook))?.attempts === count, {
    description: `attempt ${count} to be written down`,
  });
  return delivery(webhook);
}

/** Lets time pass, and makes the worker look as it does every second. */
function pass(seconds: number): void {
  clock.advance(seconds);
  dispatcher.look();
}

const endpoint = async (webhook: string) =>
  (
    await hooks.sql<{ enabled: boolean; disabled_reason: string | null }>(
      'select enabled, disabled_reason from webhooks.endpoints where id = $1',
      [webhook],
    )
  )[0];

it('tries a delivery eleven times at its steps, then gives it up', async () => {
  const webhook = await hooks.hook(context, { url: dead });
  await hooks.event(context);
  for (const [index, step] of STEPS.entries()) {
    const { state, failures, due_at, status, error } = await attempted(webhook, index + 1);
    expect({ state, failures, status, error }).toEqual({
      state: 0,
      failures: index + 1,
      status: 500,
      error: 'status',
    });
    expect((due_at.getTime() - clock.now().getTime()) / 1000).toBe(step);
    pass(step - 1);
    expect(sentTo(dead)).toHaveLength(index + 1);
    pass(1);
  }
  expect(await attempted(webhook, 11)).toMatchObject({ state: 2, failures: 11 });
  pass(48 * HOUR);
  const sent = sentTo(dead);
  expect(sent).toHaveLength(11);
  expect(new Set(sent.map(({ headers }) => headers['webhook-id'])).size).toBe(1);
  expect(new Set(sent.map(({ body }) => body.requestId)).size).toBe(1);
  expect(new Set(sent.map(({ headers }) => headers['X-PE2-TIMESTAMP'])).size).toBe(11);
});

it('waits as a receiver asks, up to twice the step', async () => {
  const webhook = await hooks.hook(context, { url: dead });
  answer = { status: 429, retryAfter: '8' };
  await hooks.event(context);
  const wait = async (count: number) =>
    ((await attempted(webhook, count)).due_at.getTime() - clock.now().getTime()) / 1000;
  expect(await wait(1)).toBe(8);
  answer = { status: 503, retryAfter: '3600' };
  pass(8);
  expect(await wait(2)).toBe(20);
  answer = { status: 200 };
  pass(20);
  expect(await attempted(webhook, 3)).toMatchObject({ state: 1, error: null });
});

it('disables a webhook that answers 410 before it writes that answer down', async () => {
  const webhook = await hooks.hook(context, { url: dead });
  answer = { status: 410 };
  await hooks.store.writes.transaction(async (client) => {
    await client.query('lock table webhooks.attempts in exclusive mode');
    await hooks.event(context);
    await waitFor(async () => !(await endpoint(webhook)).enabled, {
      description: 'the webhook to be disabled',
    });
    expect(await delivery(webhook)).toMatchObject({ state: 2, attempts: 0, error: 'webhook_disabled' });
  });
  expect(await attempted(webhook, 1)).toMatchObject({ state: 2, status: 410, error: 'status' });
});

it('asks a receiver that answered 410 again when its webhook could not be disabled, and says so', async () => {
  const webhook = await hooks.hook(context, { url: dead });
  answer = { status: 410 };
  const gone = jest.spyOn(hooks.watch, 'gone').mockRejectedValueOnce(new Error('no database'));
  const logged = jest.spyOn(Logger.prototype, 'error').mockImplementation();
  await hooks.event(context);
  await waitFor(async () => !(await endpoint(webhook)).enabled, {
    description: 'the webhook to be disabled',
  });
  const told = logged.mock.calls.map(([text]) => text);
  logged.mockRestore();
  gone.mockRestore();
  expect(sentTo(dead)).toHaveLength(2);
  expect(told).toEqual([
    expect.stringMatching(
      /^Delivery \S+ was answered 410, but its webhook is not disabled yet: no database$/,
    ),
  ]);
});

it('disables a webhook that answers 410, and tells the other webhooks', async () => {
  const webhook = await hooks.hook(context, { url: dead });
  await hooks.hook(context, { url: other });
  answer = { status: 410 };
  await hooks.event(context);
  await waitFor(async () => !(await endpoint(webhook)).enabled, {
    description: 'the webhook to be disabled',
  });
  expect(await endpoint(webhook)).toEqual({ enabled: false, disabled_reason: 'gone' });
  expect(await attempted(webhook, 1)).toMatchObject({ state: 2, status: 410 });
  const told = (type: string) => sentTo(other).filter(({ body }) => body.type === type);
  await waitFor(() => told('webhook.disabled').length > 0, { description: 'the other webhook to be told' });
  expect(told('webhook.disabled')[0].body).toMatchObject({
    data: { data: { url: dead, enabled: false, disabledReason: 'gone' } },
    changed: ['disabledOn', 'disabledReason', 'enabled'],
  });
  pass(1);
  await hooks.event(context, 'Wills');
  await waitFor(() => told('division.created').length === 2, {
    description: 'the other webhook to be sent more',
  });
  expect(await deliveries(webhook)).toHaveLength(1);
  expect(sentTo(dead)).toHaveLength(1);
});

it('warns after one and after three days of failing, and disables the webhook after five', async () => {
  const webhook = await hooks.hook(context, { url: dead });
  await hooks.hook(context, { url: other, events: ['matter.created'] });
  await hooks.event(context);
  await attempted(webhook, 1);
  const told = async (count: number) => {
    await waitFor(() => sentTo(other).length >= count, { description: `notice ${count}` });
    return sentTo(other).map(({ body }) => body.type);
  };
  /** Tries the delivery when it is due, so that nothing is under way when the webhook is disabled. */
  const tried = async (seconds: number, count: number) => {
    pass(seconds);
    await attempted(webhook, count);
  };
  await tried(24 * HOUR - 1, 2);
  await hooks.pruning.run();
  expect(sentTo(other)).toEqual([]);
  clock.advance(1);
  await hooks.pruning.run();
  expect(await told(1)).toEqual(['webhook.failing']);
  await hooks.pruning.run();
  await tried(48 * HOUR, 3);
  await hooks.pruning.run();
  expect(await told(2)).toEqual(['webhook.failing', 'webhook.failing']);
  await tried(48 * HOUR - 1, 4);
  await hooks.pruning.run();
  expect(await endpoint(webhook)).toEqual({ enabled: true, disabled_reason: null });
  clock.advance(1);
  await hooks.pruning.run();
  expect(await endpoint(webhook)).toEqual({ enabled: false, disabled_reason: 'failing' });
  expect(await told(3)).toEqual(['webhook.failing', 'webhook.failing', 'webhook.disabled']);
  expect(await delivery(webhook)).toMatchObject({ state: 2, error: 'webhook_disabled' });
});

it('ends the time of failing with a success', async () => {
  const webhook = await hooks.hook(context, { url: dead });
  await hooks.event(context);
  await attempted(webhook, 1);
  answer = { status: 200 };
  pass(5);
  await attempted(webhook, 2);
  const failing = () =>
    hooks.sql<{ failing_since: Date | null }>(
      'select failing_since from webhooks.lanes where webhook_id = $1',
      [webhook],
    );
  expect(await failing()).toEqual([{ failing_since: null }]);
  clock.advance(120 * HOUR);
  await hooks.pruning.run();
  expect((await endpoint(webhook)).enabled).toBe(true);
});

it.each([24, 120])(
  'does nothing after %i hours of failing when the webhook answers at that moment',
  async (hours) => {
    const webhook = await hooks.hook(context, { url: dead });
    await hooks.hook(context, { url: other, events: ['matter.created'] });
    await hooks.event(context);
    await attempted(webhook, 1);
    clock.advance(hours * HOUR);
    const { writes } = hooks.store;
    const transaction = writes.transaction.bind(writes);
    const looked = jest.spyOn(writes, 'transaction').mockImplementationOnce(async (work) => {
      await hooks.sql('update webhooks.lanes set failing_since = null where webhook_id = $1', [webhook]);
      return transaction(work);
    });
    await hooks.watch.sweep();
    looked.mockRestore();
    expect(await endpoint(webhook)).toEqual({ enabled: true, disabled_reason: null });
    const told = await hooks.sql(
      `select from webhooks.deliveries where tenant_id = $1 and kind = 'webhook'`,
      [context.tenant.id],
    );
    expect(told).toEqual([]);
  },
);

it('does not count the time of a pause as failing', async () => {
  const webhook = await hooks.hook(context, { url: dead });
  await hooks.event(context);
  await attempted(webhook, 1);
  const pause = (paused: boolean) =>
    new SwitchWebhookHandler(hooks.requests, hooks.subscriptions, hooks.signal).execute(
      new SwitchWebhook(context, toId('webhook', webhook), paused),
    );
  await pause(true);
  clock.advance(121 * HOUR);
  await hooks.pruning.run();
  expect((await endpoint(webhook)).enabled).toBe(true);
  answer = { status: 200 };
  await pause(false);
  await hooks.pruning.run();
  expect(await attempted(webhook, 2)).toMatchObject({ state: 1 });
  expect((await endpoint(webhook)).enabled).toBe(true);
});

it('opens the breaker after five failures in a row, then tries a single delivery', async () => {
  const webhook = await hooks.hook(context, { url: dead });
  for (let count = 0; count < 12; count++) await hooks.event(context, `D${count}`);
  const lane = async () =>
    (
      await hooks.sql<{ failures: number; open_until: Date | null }>(
        'select failures, open_until from webhooks.lanes where webhook_id = $1',
        [webhook],
      )
    )[0];
  await waitFor(async () => (await lane()).open_until, { description: 'the breaker to open' });
  await waitFor(async () => sender.underWay === 0 && (await deliveries(webhook)).length === 12, {
    description: 'the attempts under way to end',
  });
  const before = sentTo(dead).length;
  // Five begin at once, and further ones may have begun before the fifth failed.
  expect(before).toBeGreaterThanOrEqual(5);
  expect(before).toBeLessThan(10);
  pass(20);
  await hooks.pruning.run();
  expect(sentTo(dead)).toHaveLength(before);
  pass(15);
  await waitFor(async () => (await lane()).failures === 6, { description: 'a probe to fail' });
  expect(sentTo(dead)).toHaveLength(before + 1);
  answer = { status: 204 };
  pass(61);
  await waitFor(async () => (await deliveries(webhook)).every(({ state }) => state === 1), {
    description: 'all to be delivered',
  });
  expect(await lane()).toEqual({ failures: 0, open_until: null });
});

it('does not wait for a breaker longer than it stays open, as after a clock that ran ahead', async () => {
  const webhook = await hooks.hook(context, { url: dead });
  answer = { status: 200 };
  const aheadBy = (seconds: number) =>
    hooks.sql(
      'update webhooks.lanes set failures = 9, failing_since = $2, open_until = $3 where webhook_id = $1',
      [webhook, clock.now(), new Date(clock.now().getTime() + seconds * 1000)],
    );
  await aheadBy(24 * HOUR);
  await hooks.event(context);
  expect(await attempted(webhook, 1)).toMatchObject({ state: 1 });
});
