import { randomUUID } from 'node:crypto';
import { SystemClock } from '#kernel/clock';
import { toId } from '#kernel/ids';
import type { RequestContext } from '#platform/request-context';
import { waitFor } from '../../../test/support/wait-for';
import {
  DeleteWebhook,
  DeleteWebhookHandler,
  RegisterWebhook,
  RegisterWebhookHandler,
  SwitchWebhook,
  SwitchWebhookHandler,
  UpdateWebhook,
  UpdateWebhookHandler,
} from '../endpoints/endpoint.commands';
import type { WebhookPatch } from '../endpoints/endpoint.input';
import type { Outcome } from '../protocol/sender';
import { DeliveryState } from '../queue/delivery';
import {
  Redeliver,
  RedeliverHandler,
  ReplayWebhook,
  ReplayWebhookHandler,
  TestWebhook,
  TestWebhookHandler,
} from '../queue/delivery.commands';
import { ScriptedSender } from '../testing/scripted-sender';
import { openWebhooks, type Webhooks } from '../testing/webhook-parts';
import { Rendering } from './bodies/rendering';
import { DeliverySettings } from './delivery-settings';
import { Dispatcher } from './dispatcher';
import { type Item, Lane } from './lanes/lane';
import type { LaneConfig } from './lanes/lane-config';
import { QueuePools } from './queue-pools';

const OLD = 'https://hooks.example.com/old';
const NEW = 'https://hooks.example.com/new';

let hooks: Webhooks;
let context: RequestContext;
let webhook: string;
/** Makes the old address answer. */
let answer: (outcome: Partial<Outcome>) => void;
let answered: Promise<Partial<Outcome>>;
const sender = new ScriptedSender(({ url }) => (url === NEW ? { status: 204 } : answered));

beforeAll(async () => {
  hooks = await openWebhooks(new SystemClock());
  hooks.project();
  hooks.fanOut.start();
  // Records are soon too old to be sent, and read again.
  hooks.dispatcher(sender, { freshMs: 20 }).start();
});
afterAll(() => hooks.close());

beforeEach(async () => {
  context = await hooks.tenant();
  webhook = randomUUID();
  sender.sent.length = 0;
  answered = new Promise((resolve) => {
    answer = resolve;
  });
});

const id = () => toId('webhook', webhook);
const parts = () => [hooks.requests, hooks.subscriptions, hooks.signal] as const;

async function register(url: string): Promise<void> {
  const secret = '12345678-0000-0000-0000-123456789012';
  const body = { id: id(), url, secret, events: ['division.created'] };
  await new RegisterWebhookHandler(...parts()).execute(new RegisterWebhook(context, body));
}

async function patch(body: WebhookPatch): Promise<void> {
  await new UpdateWebhookHandler(...parts()).execute(new UpdateWebhook(context, id(), body, undefined));
}

async function pause(paused: boolean): Promise<void> {
  await new SwitchWebhookHandler(...parts()).execute(new SwitchWebhook(context, id(), paused));
}

async function redeliver(delivery: string): Promise<void> {
  await new RedeliverHandler(hooks.requests, hooks.signal).execute(new Redeliver(context, id(), delivery));
}

async function remove(): Promise<void> {
  await new DeleteWebhookHandler(hooks.requests, hooks.signal).execute(new DeleteWebhook(context, id()));
}

async function test(): Promise<string> {
  const { body } = await new TestWebhookHandler(hooks.requests, hooks.signal).execute(
    new TestWebhook(context, id()),
  );
  return (body as { data: { id: string } }).data.id;
}

const sentTo = (url: string) => sender.to(url, context.tenant);

const asked = (url: string, count = 1) =>
  waitFor(() => sentTo(url).length >= count, { description: `${count} messages to ${url}` });

const standing = () => hooks.standing(webhook);
const deliveries = () => hooks.deliveries(webhook);

describe.each([410, 500])('the answer %i of a former address of a webhook', (status) => {
  it.each([
    ['the address was changed', () => patch({ url: NEW })],
    [
      'the webhook was removed and registered again',
      async () => {
        await remove();
        await register(NEW);
      },
    ],
  ])('does not count for the present address when %s', async (_, change) => {
    await register(OLD);
    await test();
    await asked(OLD);
    await change();
    // Once the worker sends to the new address, it knows that it has replaced the old one.
    await hooks.event(context);
    await asked(NEW);
    answer({ status });
    await hooks.event(context, 'Later');
    await asked(NEW, 2);
    await waitFor(
      async () => (await deliveries()).every(({ state, attempts }) => state !== 0 || attempts > 0),
      {
        description: 'the late answer to be written down',
      },
    );
    expect(await standing()).toEqual({ enabled: true, disabled_at: null, failures: 0, failing_since: null });
  });
});

it('the answer 410 of a former address does not end a delivery: it is tried at the present one', async () => {
  await register(OLD);
  await test();
  await asked(OLD);
  await patch({ url: NEW });
  answer({ status: 410 });
  await waitFor(async () => (await deliveries())[0].attempts > 0, {
    description: 'the answer to be written down',
  });
  expect(await deliveries()).toEqual([{ state: DeliveryState.Pending, attempts: 1, error: 'status' }]);
  await hooks.sql('update webhooks.deliveries set due_at = now() where webhook_id = $1', [webhook]);
  await asked(NEW);
});

it.each([204, 410, 500])(
  'a delivery that is asked for again is sent to the present address, though the former one answers %i',
  async (status) => {
    await register(OLD);
    const delivery = await test();
    await asked(OLD);
    await patch({ url: NEW });
    await redeliver(delivery);
    answer({ status });
    await asked(NEW);
    const delivered = async () => (await deliveries())[0].state === DeliveryState.Delivered;
    await waitFor(delivered, { description: 'the second answer to be written down' });
    expect(await deliveries()).toMatchObject([{ attempts: 2 }]);
  },
);

it.each([204, 410, 500])(
  'the answer %i to a former registration decides nothing that is queued for the present one',
  async (status) => {
    const since = new Date();
    await register(OLD);
    await hooks.event(context);
    await asked(OLD);
    await remove();
    await register(NEW);
    await pause(true);
    const replay = new ReplayWebhookHandler(hooks.requests, hooks.subscriptions, hooks.store.config);
    await replay.execute(new ReplayWebhook(context, id(), { since: since.toISOString(), mode: 'all' }));
    await hooks.replays.run();
    const waits = [{ state: DeliveryState.Pending, attempts: 0, error: null }];
    expect(await deliveries()).toEqual(waits);

    const written = jest.spyOn(Dispatcher.prototype as unknown as { written(): void }, 'written');
    answer({ status });
    await waitFor(() => written.mock.calls.length > 0, { description: 'the answer to be written down' });
    written.mockRestore();
    expect(await deliveries()).toEqual(waits);
    await pause(false);
    await asked(NEW);
  },
);

it('a message about a webhook can be sent again after the webhook was removed and registered again', async () => {
  await register(NEW);
  for (const description of ['a', 'b', 'c']) await patch({ description });
  const delivery = await test();
  await asked(NEW);
  await waitFor(async () => (await deliveries())[0].state === DeliveryState.Delivered, {
    description: 'the first answer to be written down',
  });
  await remove();
  await register(NEW);
  await redeliver(delivery);
  await asked(NEW, 2);
});

it('messages about webhooks that were removed meanwhile do not contain them', async () => {
  const pools = new QueuePools(hooks.store.config);
  const rendering = new Rendering(pools, hooks.store.writes, new DeliverySettings());
  const webhooks: string[] = [];
  for (let number = 0; number < 3; number++) {
    webhook = randomUUID();
    webhooks.push(webhook);
    await register(NEW);
  }
  const config = { payload_mode: 'full' } as LaneConfig;
  const lane = new Lane(new DeliverySettings(), config, Infinity);
  const told = async () => {
    const items = webhooks.map((subject) => {
      const delivery = { tenant_id: context.tenant.id, kind: 'webhook', subject, version: 2, at: null };
      return { delivery, lane } as Item;
    });
    await rendering.render(items, () => undefined);
    return items.map(({ record }) => record?.text);
  };
  expect(await told()).toEqual(webhooks.map((subject) => expect.stringContaining(toId('webhook', subject))));
  for (webhook of webhooks) await remove();
  expect(await told()).toEqual(['null', 'null', 'null']);
  await pools.end();
});

describe('a delivery that waits for a webhook when that is disabled', () => {
  beforeEach(async () => {
    answered = Promise.resolve({ status: 500 });
    await register(OLD);
    await test();
    await waitFor(async () => (await deliveries())[0].attempts === 1, { description: 'an attempt' });
  });

  it('fails at once, and is not sent when the webhook is enabled again', async () => {
    await patch({ enabled: false });
    expect(await deliveries()).toEqual([
      { state: DeliveryState.Failed, attempts: 1, error: 'webhook_disabled' },
    ]);
    await patch({ enabled: true, url: NEW });
    await hooks.event(context);
    await asked(NEW);
    expect(sentTo(NEW).map(({ body }) => body.type)).toEqual(['division.created']);
  });

  it('is not sent either when more were waiting than fail at once', async () => {
    await patch({ enabled: false });
    await hooks.sql('update webhooks.deliveries set state = 0 where webhook_id = $1', [webhook]);
    await patch({ enabled: true, url: NEW });
    expect(await deliveries()).toMatchObject([{ state: DeliveryState.Failed, error: 'webhook_disabled' }]);
  });

  it('does not hold up the disabling while its result is being written down', async () => {
    let held: object[] | undefined;
    await hooks.store.writes.transaction(async (client) => {
      await client.query('select from webhooks.deliveries where webhook_id = $1 for update', [webhook]);
      // If it waited for the locked deliveries, its statement would exceed its time limit.
      await patch({ enabled: false });
      held = await deliveries();
    });
    expect(held).toMatchObject([{ state: DeliveryState.Pending }]);
    await patch({ enabled: true, url: NEW });
    expect(await deliveries()).toMatchObject([{ state: DeliveryState.Failed, error: 'webhook_disabled' }]);
  });

  it('fails when the receiver answers that it wants nothing any more', async () => {
    answered = Promise.resolve({ status: 410 });
    await test();
    await waitFor(async () => !(await standing()).enabled, { description: 'the webhook to be disabled' });
    expect((await deliveries()).map(({ state }) => state)).toEqual([
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
    await register(OLD);
    await test();
    await asked(OLD);
    await patch({ enabled: false });
    expect(await deliveries()).toMatchObject([{ state: DeliveryState.Failed, attempts: 0 }]);
    answer({ status });
    await waitFor(async () => (await deliveries())[0].attempts === 1, {
      description: 'the answer to be written down',
    });
    expect(await deliveries()).toEqual([result]);
  });
});

describe('a delivery that is asked for again while an attempt at it is under way', () => {
  /** Begins an attempt at a delivery that has failed this often before. @returns the delivery's id */
  const attemptedAgain = async (failures: number): Promise<string> => {
    await register(OLD);
    await pause(true);
    const delivery = await test();
    await hooks.sql('update webhooks.deliveries set failures = $2 where webhook_id = $1', [
      webhook,
      failures,
    ]);
    await pause(false);
    await asked(OLD);
    return delivery;
  };

  it.each([0, 9, 10])(
    'begins its schedule anew even when that attempt fails, as %i did before',
    async (failures) => {
      const delivery = await attemptedAgain(failures);
      await redeliver(delivery);
      answer({ status: 500 });
      await asked(OLD, 2);
      await waitFor(async () => (await deliveries())[0].attempts === 2, {
        description: 'the second answer to be written down',
      });
      const [row] = await hooks.sql<{ state: number; failures: number; in_seconds: number }>(
        `select state, failures, extract(epoch from due_at - clock_timestamp())::float as in_seconds
       from webhooks.deliveries where webhook_id = $1`,
        [webhook],
      );
      expect(row).toMatchObject({ state: DeliveryState.Pending, failures: 1 });
      expect(row.in_seconds).toBeLessThan(10);
    },
  );
});
