import { Logger } from '@nestjs/common';
import { toId } from '#kernel/ids';
import { waitFor } from '../../../test/support/wait-for';
import { SwitchWebhook, SwitchWebhookHandler } from '../endpoints/endpoint.commands';
import { DEAD, DeliveryScene, HOUR, OTHER } from '../testing/delivery-scene';

let scene: DeliveryScene;

beforeAll(async () => {
  scene = await DeliveryScene.open();
});
beforeEach(() => scene.begin());
afterAll(() => scene.close());

it('disables a webhook that answers 410 before it writes that answer down', async () => {
  const webhook = await scene.hooks.hook(scene.context, { url: DEAD });
  scene.answer = { status: 410 };
  await scene.hooks.store.writes.transaction(async (client) => {
    await client.query('lock table webhooks.attempts in exclusive mode');
    await scene.hooks.event(scene.context);
    await waitFor(async () => !(await scene.endpoint(webhook)).enabled, {
      description: 'the webhook to be disabled',
    });
    expect(await scene.delivery(webhook)).toMatchObject({ state: 2, attempts: 0, error: 'webhook_disabled' });
  });
  expect(await scene.attempted(webhook, 1)).toMatchObject({ state: 2, status: 410, error: 'status' });
});

it('asks a receiver that answered 410 again when its webhook could not be disabled, and says so', async () => {
  const webhook = await scene.hooks.hook(scene.context, { url: DEAD });
  scene.answer = { status: 410 };
  const gone = jest.spyOn(scene.hooks.watch, 'gone').mockRejectedValueOnce(new Error('no database'));
  const logged = jest.spyOn(Logger.prototype, 'error').mockImplementation();
  await scene.hooks.event(scene.context);
  await waitFor(async () => !(await scene.endpoint(webhook)).enabled, {
    description: 'the webhook to be disabled',
  });
  const told = logged.mock.calls.map(([text]) => text);
  logged.mockRestore();
  gone.mockRestore();
  expect(scene.sentTo(DEAD)).toHaveLength(2);
  expect(told).toEqual([
    expect.stringMatching(
      /^Delivery \S+ was answered 410, but its webhook is not disabled yet: no database$/,
    ),
  ]);
});

it('disables a webhook that answers 410, and tells the other webhooks', async () => {
  const webhook = await scene.hooks.hook(scene.context, { url: DEAD });
  await scene.hooks.hook(scene.context, { url: OTHER });
  scene.answer = { status: 410 };
  await scene.hooks.event(scene.context);
  await waitFor(async () => !(await scene.endpoint(webhook)).enabled, {
    description: 'the webhook to be disabled',
  });
  expect(await scene.endpoint(webhook)).toEqual({ enabled: false, disabled_reason: 'gone' });
  expect(await scene.attempted(webhook, 1)).toMatchObject({ state: 2, status: 410 });
  const told = (type: string) => scene.sentTo(OTHER).filter(({ body }) => body.type === type);
  await waitFor(() => told('webhook.disabled').length > 0, { description: 'the other webhook to be told' });
  expect(told('webhook.disabled')[0].body).toMatchObject({
    data: { data: { url: DEAD, enabled: false, disabledReason: 'gone' } },
    changed: ['disabledOn', 'disabledReason', 'enabled'],
  });
  scene.pass(1);
  await scene.hooks.event(scene.context, 'Wills');
  await waitFor(() => told('division.created').length === 2, {
    description: 'the other webhook to be sent more',
  });
  expect(await scene.deliveries(webhook)).toHaveLength(1);
  expect(scene.sentTo(DEAD)).toHaveLength(1);
});

it('warns after one and after three days of failing, and disables the webhook after five', async () => {
  const webhook = await scene.hooks.hook(scene.context, { url: DEAD });
  await scene.hooks.hook(scene.context, { url: OTHER, events: ['matter.created'] });
  await scene.hooks.event(scene.context);
  await scene.attempted(webhook, 1);
  const told = async (count: number) => {
    await waitFor(() => scene.sentTo(OTHER).length >= count, { description: `notice ${count}` });
    return scene.sentTo(OTHER).map(({ body }) => body.type);
  };
  /** Tries the delivery when it is due, so that nothing is under way when the webhook is disabled. */
  const tried = async (seconds: number, count: number) => {
    scene.pass(seconds);
    await scene.attempted(webhook, count);
  };
  await tried(24 * HOUR - 1, 2);
  await scene.hooks.watch.sweep();
  expect(scene.sentTo(OTHER)).toEqual([]);
  scene.clock.advance(1);
  await scene.hooks.watch.sweep();
  expect(await told(1)).toEqual(['webhook.failing']);
  await scene.hooks.watch.sweep();
  await tried(48 * HOUR, 3);
  await scene.hooks.watch.sweep();
  expect(await told(2)).toEqual(['webhook.failing', 'webhook.failing']);
  await tried(48 * HOUR - 1, 4);
  await scene.hooks.watch.sweep();
  expect(await scene.endpoint(webhook)).toEqual({ enabled: true, disabled_reason: null });
  scene.clock.advance(1);
  await scene.hooks.watch.sweep();
  expect(await scene.endpoint(webhook)).toEqual({ enabled: false, disabled_reason: 'failing' });
  expect(await told(3)).toEqual(['webhook.failing', 'webhook.failing', 'webhook.disabled']);
  expect(await scene.delivery(webhook)).toMatchObject({ state: 2, error: 'webhook_disabled' });
});

it('ends the time of failing with a success', async () => {
  const webhook = await scene.hooks.hook(scene.context, { url: DEAD });
  await scene.hooks.event(scene.context);
  await scene.attempted(webhook, 1);
  scene.answer = { status: 200 };
  scene.pass(5);
  await scene.attempted(webhook, 2);
  const failing = () =>
    scene.hooks.sql<{ failing_since: Date | null }>(
      'select failing_since from webhooks.lanes where webhook_id = $1',
      [webhook],
    );
  expect(await failing()).toEqual([{ failing_since: null }]);
  scene.clock.advance(120 * HOUR);
  await scene.hooks.watch.sweep();
  expect((await scene.endpoint(webhook)).enabled).toBe(true);
});

it.each([24, 120])(
  'does nothing after %i hours of failing when the webhook answers at that moment',
  async (hours) => {
    const webhook = await scene.hooks.hook(scene.context, { url: DEAD });
    await scene.hooks.hook(scene.context, { url: OTHER, events: ['matter.created'] });
    await scene.hooks.event(scene.context);
    await scene.attempted(webhook, 1);
    scene.clock.advance(hours * HOUR);
    const { writes } = scene.hooks.store;
    const transaction = writes.transaction.bind(writes);
    const looked = jest.spyOn(writes, 'transaction').mockImplementationOnce(async (work) => {
      await scene.hooks.sql('update webhooks.lanes set failing_since = null where webhook_id = $1', [
        webhook,
      ]);
      return transaction(work);
    });
    await scene.hooks.watch.sweep();
    looked.mockRestore();
    expect(await scene.endpoint(webhook)).toEqual({ enabled: true, disabled_reason: null });
    const told = await scene.hooks.sql(
      `select from webhooks.deliveries where tenant_id = $1 and kind = 'webhook'`,
      [scene.context.tenant.id],
    );
    expect(told).toEqual([]);
  },
);

it('does not count the time of a pause as failing', async () => {
  const webhook = await scene.hooks.hook(scene.context, { url: DEAD });
  await scene.hooks.event(scene.context);
  await scene.attempted(webhook, 1);
  const pause = (paused: boolean) =>
    new SwitchWebhookHandler(scene.hooks.requests, scene.hooks.subscriptions, scene.hooks.signal).execute(
      new SwitchWebhook(scene.context, toId('webhook', webhook), paused),
    );
  await pause(true);
  scene.clock.advance(121 * HOUR);
  await scene.hooks.watch.sweep();
  expect((await scene.endpoint(webhook)).enabled).toBe(true);
  scene.answer = { status: 200 };
  await pause(false);
  await scene.hooks.watch.sweep();
  expect(await scene.attempted(webhook, 2)).toMatchObject({ state: 1 });
  expect((await scene.endpoint(webhook)).enabled).toBe(true);
});
