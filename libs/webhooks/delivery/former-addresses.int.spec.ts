import { waitFor } from '../../../test/support/wait-for';
import { DeliveryState } from '../queue/delivery';
import { ChangingWebhook, NEW, OLD } from '../testing/changing-webhook';
import { Dispatcher } from './dispatcher';

let scene: ChangingWebhook;

beforeAll(async () => {
  scene = await ChangingWebhook.open();
});
afterAll(() => scene.hooks.close());
beforeEach(() => scene.renew());

describe.each([410, 500])('the answer %i of a former address of a webhook', (status) => {
  it.each([
    ['the address was changed', () => scene.patch({ url: NEW })],
    [
      'the webhook was removed and registered again',
      async () => {
        await scene.remove();
        await scene.register(NEW);
      },
    ],
  ])('does not count for the present address when %s', async (_, change) => {
    await scene.register(OLD);
    await scene.test();
    await scene.asked(OLD);
    await change();
    // Once the worker sends to the new address, it knows that it has replaced the old one.
    await scene.hooks.event(scene.context);
    await scene.asked(NEW);
    scene.answer({ status });
    await scene.hooks.event(scene.context, 'Later');
    await scene.asked(NEW, 2);
    await waitFor(
      async () => (await scene.deliveries()).every(({ state, attempts }) => state !== 0 || attempts > 0),
      {
        description: 'the late answer to be written down',
      },
    );
    expect(await scene.standing()).toEqual({
      enabled: true,
      disabled_at: null,
      failures: 0,
      failing_since: null,
    });
  });
});

it('the answer 410 of a former address does not end a delivery: it is tried at the present one', async () => {
  await scene.register(OLD);
  await scene.test();
  await scene.asked(OLD);
  await scene.patch({ url: NEW });
  scene.answer({ status: 410 });
  await waitFor(async () => (await scene.deliveries())[0].attempts > 0, {
    description: 'the answer to be written down',
  });
  expect(await scene.deliveries()).toEqual([{ state: DeliveryState.Pending, attempts: 1, error: 'status' }]);
  await scene.hooks.sql('update webhooks.deliveries set due_at = now() where webhook_id = $1', [
    scene.webhook,
  ]);
  await scene.asked(NEW);
});

it.each([204, 410, 500])(
  'a delivery that is asked for again is sent to the present address, though the former one answers %i',
  async (status) => {
    await scene.register(OLD);
    const delivery = await scene.test();
    await scene.asked(OLD);
    await scene.patch({ url: NEW });
    await scene.redeliver(delivery);
    scene.answer({ status });
    await scene.asked(NEW);
    const delivered = async () => (await scene.deliveries())[0].state === DeliveryState.Delivered;
    await waitFor(delivered, { description: 'the second answer to be written down' });
    expect(await scene.deliveries()).toMatchObject([{ attempts: 2 }]);
  },
);

it.each([204, 410, 500])(
  'the answer %i to a former registration decides nothing that is queued for the present one',
  async (status) => {
    const since = new Date();
    await scene.register(OLD);
    await scene.hooks.event(scene.context);
    await scene.asked(OLD);
    await scene.remove();
    await scene.register(NEW);
    await scene.pause(true);
    await scene.replay(since);
    const waits = [{ state: DeliveryState.Pending, attempts: 0, error: null }];
    expect(await scene.deliveries()).toEqual(waits);

    const written = jest.spyOn(Dispatcher.prototype as unknown as { written(): void }, 'written');
    scene.answer({ status });
    await waitFor(() => written.mock.calls.length > 0, { description: 'the answer to be written down' });
    written.mockRestore();
    expect(await scene.deliveries()).toEqual(waits);
    await scene.pause(false);
    await scene.asked(NEW);
  },
);
