import { randomUUID } from 'node:crypto';
import { toId } from '#kernel/ids';
import { waitFor } from '../../../test/support/wait-for';
import { DeliveryState } from '../queue/delivery';
import { ChangingWebhook, NEW, OLD } from '../testing/changing-webhook';
import { Rendering } from './bodies/rendering';
import { DeliverySettings } from './delivery-settings';
import { type Item, Lane } from './lanes/lane';
import type { LaneConfig } from './lanes/lane-config';
import { QueuePools } from './queue-pools';

let scene: ChangingWebhook;

beforeAll(async () => {
  scene = await ChangingWebhook.open();
});
afterAll(() => scene.hooks.close());
beforeEach(() => scene.renew());

it('a message about a webhook can be sent again after the webhook was removed and registered again', async () => {
  await scene.register(NEW);
  for (const description of ['a', 'b', 'c']) await scene.patch({ description });
  const delivery = await scene.test();
  await scene.asked(NEW);
  await waitFor(async () => (await scene.deliveries())[0].state === DeliveryState.Delivered, {
    description: 'the first answer to be written down',
  });
  await scene.remove();
  await scene.register(NEW);
  await scene.redeliver(delivery);
  await scene.asked(NEW, 2);
});

it('messages about webhooks that were removed meanwhile do not contain them', async () => {
  const pools = new QueuePools(scene.hooks.store.config);
  const rendering = new Rendering(pools, scene.hooks.store.writes, new DeliverySettings());
  const webhooks: string[] = [];
  for (let number = 0; number < 3; number++) {
    scene.webhook = randomUUID();
    webhooks.push(scene.webhook);
    await scene.register(NEW);
  }
  const config = { payload_mode: 'full' } as LaneConfig;
  const lane = new Lane(new DeliverySettings(), config, Infinity);
  const told = async () => {
    const items = webhooks.map((subject) => {
      const delivery = { tenant_id: scene.context.tenant.id, kind: 'webhook', subject, version: 2, at: null };
      return { delivery, lane } as Item;
    });
    await rendering.render(items, () => undefined);
    return items.map(({ record }) => record?.text);
  };
  expect(await told()).toEqual(webhooks.map((subject) => expect.stringContaining(toId('webhook', subject))));
  for (scene.webhook of webhooks) await scene.remove();
  expect(await told()).toEqual(['null', 'null', 'null']);
  await pools.end();
});

describe('a delivery that waits for a webhook when that is disabled', () => {
  beforeEach(async () => {
    scene.answered = Promise.resolve({ status: 500 });
    await scene.register(OLD);
    await scene.test();
    await waitFor(async () => (await scene.deliveries())[0].attempts === 1, { description: 'an attempt' });
  });

  it('fails at once, and is not sent when the webhook is enabled again', async () => {
    await scene.patch({ enabled: false });
    expect(await scene.deliveries()).toEqual([
      { state: DeliveryState.Failed, attempts: 1, error: 'webhook_disabled' },
    ]);
    await scene.patch({ enabled: true, url: NEW });
    await scene.hooks.event(scene.context);
    await scene.asked(NEW);
    expect(scene.sentTo(NEW).map(({ body }) => body.type)).toEqual(['division.created']);
  });

  it('is not sent either when more were waiting than fail at once', async () => {
    await scene.patch({ enabled: false });
    await scene.hooks.sql('update webhooks.deliveries set state = 0 where webhook_id = $1', [scene.webhook]);
    await scene.patch({ enabled: true, url: NEW });
    expect(await scene.deliveries()).toMatchObject([
      { state: DeliveryState.Failed, error: 'webhook_disabled' },
    ]);
  });

  it('does not hold up the disabling while its result is being written down', async () => {
    let held: object[] | undefined;
    await scene.hooks.store.writes.transaction(async (client) => {
      await client.query('select from webhooks.deliveries where webhook_id = $1 for update', [scene.webhook]);
      // If it waited for the locked deliveries, its statement would exceed its time limit.
      await scene.patch({ enabled: false });
      held = await scene.deliveries();
    });
    expect(held).toMatchObject([{ state: DeliveryState.Pending }]);
    await scene.patch({ enabled: true, url: NEW });
    expect(await scene.deliveries()).toMatchObject([
      { state: DeliveryState.Failed, error: 'webhook_disabled' },
    ]);
  });

  it('fails when the receiver answers that it wants nothing any more', async () => {
    scene.answered = Promise.resolve({ status: 410 });
    await scene.test();
    await waitFor(async () => !(await scene.standing()).enabled, {
      description: 'the webhook to be disabled',
    });
    expect((await scene.deliveries()).map(({ state }) => state)).toEqual([
      DeliveryState.Failed,
      DeliveryState.Failed,
    ]);
  });
});

describe('an attempt that was under way when its webhook was disabled', () => {
  it.each([
    [204, { state: DeliveryState.Delivered, attempts: 1, error: null }],
    [500, { state: DeliveryState.Failed, attempts: 1, error: 'status' }],
  ])('is written down when the answer is %i', async (status, result) => {
    await scene.register(OLD);
    await scene.test();
    await scene.asked(OLD);
    await scene.patch({ enabled: false });
    expect(await scene.deliveries()).toMatchObject([{ state: DeliveryState.Failed, attempts: 0 }]);
    scene.answer({ status });
    await waitFor(async () => (await scene.deliveries())[0].attempts === 1, {
      description: 'the answer to be written down',
    });
    expect(await scene.deliveries()).toEqual([result]);
  });
});

describe('a delivery that is asked for again while an attempt at it is under way', () => {
  /** Begins an attempt at a delivery that has failed this often before. @returns the delivery's id */
  const attemptedAgain = async (failures: number): Promise<string> => {
    await scene.register(OLD);
    await scene.pause(true);
    const delivery = await scene.test();
    await scene.hooks.sql('update webhooks.deliveries set failures = $2 where webhook_id = $1', [
      scene.webhook,
      failures,
    ]);
    await scene.pause(false);
    await scene.asked(OLD);
    return delivery;
  };

  it.each([0, 9, 10])(
    'begins its schedule anew even when that attempt fails, as %i did before',
    async (failures) => {
      const delivery = await attemptedAgain(failures);
      await scene.redeliver(delivery);
      scene.answer({ status: 500 });
      await scene.asked(OLD, 2);
      await waitFor(async () => (await scene.deliveries())[0].attempts === 2, {
        description: 'the second answer to be written down',
      });
      const [row] = await scene.hooks.sql<{ state: number; failures: number; in_seconds: number }>(
        `select state, failures, extract(epoch from due_at - clock_timestamp())::float as in_seconds
       from webhooks.deliveries where webhook_id = $1`,
        [scene.webhook],
      );
      expect(row).toMatchObject({ state: DeliveryState.Pending, failures: 1 });
      expect(row.in_seconds).toBeLessThan(10);
    },
  );
});
