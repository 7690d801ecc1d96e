import { randomUUID } from 'node:crypto';
import { SystemClock } from '#kernel/clock';
import { toId, toUuid } from '#kernel/ids';
import type { RequestContext } from '#platform/request-context';
import { waitFor } from '../../../test/support/wait-for';
import {
  DeleteWebhook,
  DeleteWebhookHandler,
  RegisterWebhook,
  RegisterWebhookHandler,
} from '../endpoints/endpoint.commands';
import { ATTEMPTS } from '../queue/delivery';
import { ScriptedSender } from '../testing/scripted-sender';
import { openWebhooks, type Webhooks } from '../testing/webhook-parts';

const BEFORE = 'https://hooks.example.com/before';
const AFTER = 'https://hooks.example.com/after';
/** The receiver that was registered with the id first refuses everything. */
const sender = new ScriptedSender(({ url }) => ({ status: url === BEFORE ? 503 : 204 }));

let hooks: Webhooks;
let context: RequestContext;
let webhook: string;

beforeAll(async () => {
  hooks = await openWebhooks(new SystemClock());
  hooks.project();
  hooks.fanOut.start();
  hooks.dispatcher(sender).start();
});
afterAll(() => hooks.close());

/** A delivery waits for a webhook, which is then removed. */
beforeEach(async () => {
  context = await hooks.tenant();
  webhook = randomUUID();
  await register(BEFORE);
  await hooks.event(context, 'Before');
  await waitFor(async () => (await deliveries()).at(0)?.attempts === 1, { description: 'an attempt' });
  await remove();
});

async function remove(): Promise<void> {
  const handler = new DeleteWebhookHandler(hooks.requests, hooks.signal);
  await handler.execute(new DeleteWebhook(context, toId('webhook', webhook)));
}

async function register(url: string): Promise<void> {
  const handler = new RegisterWebhookHandler(hooks.requests, hooks.subscriptions, hooks.signal);
  const secret = '12345678-0000-0000-0000-123456789012';
  const body = { id: toId('webhook', webhook), url, secret, events: ['division.created'] };
  await handler.execute(new RegisterWebhook(context, body));
}

const deliveries = () =>
  hooks.sql<{ subject: string; state: number; attempts: number }>(
    'select subject, state, attempts from webhooks.deliveries where webhook_id = $1',
    [webhook],
  );

it('a webhook that is registered again is sent nothing that waited before', async () => {
  await register(AFTER);
  const { record } = await hooks.event(context, 'After');
  await waitFor(async () => (await deliveries()).some(({ state }) => state === 1), {
    description: 'the event to be delivered',
  });
  expect(sender.to(AFTER).map(({ body }) => body.data.id)).toEqual([record.id]);
  expect(await deliveries()).toHaveLength(1);
  expect(await hooks.sql(`select from ${ATTEMPTS} a where webhook_id = $1`, [webhook])).toHaveLength(1);
});

it('a webhook that is registered again is sent nothing that was about to be queued when it was removed', async () => {
  await register(BEFORE);
  const isWaiting = async (what: string) =>
    (await hooks.sql(`select from pg_locks where not granted and ${what}`)).length > 0;
  let again: Promise<void> | undefined;
  await hooks.store.writes.transaction(async (client) => {
    await client.query('lock table webhooks.checkpoints in share row exclusive mode');
    await hooks.event(context, 'Meanwhile');
    await waitFor(() => isWaiting(`relation = 'webhooks.checkpoints'::regclass`), {
      description: 'the fan-out to wait for its checkpoint',
    });
    let isRegistered = false;
    again = remove()
      .then(() => register(AFTER))
      .then(() => {
        isRegistered = true;
      });
    await waitFor(async () => isRegistered || (await isWaiting(`locktype = 'advisory'`)), {
      description: 'the new registration',
    });
  });
  await again;
  const { record } = await hooks.event(context, 'After');
  await waitFor(async () => (await deliveries()).some(({ state }) => state === 1), {
    description: 'the event to be delivered',
  });
  expect((await deliveries()).map(({ subject }) => subject)).toEqual([toUuid(record.id)]);
});

it('a webhook that is registered again keeps what is queued for it while its former log is being removed', async () => {
  const { pool } = hooks.store.writes;
  const query = pool.query.bind(pool) as (...args: unknown[]) => Promise<unknown>;
  const looked = jest.spyOn(pool, 'query').mockImplementationOnce((async (...args: unknown[]) => {
    const removed = await query(...args);
    await register(BEFORE);
    await hooks.event(context, 'After');
    await waitFor(async () => (await deliveries()).length === 1, { description: 'the event to be queued' });
    return removed;
  }) as never);
  await hooks.pruning.prune();
  looked.mockRestore();
  expect(await deliveries()).toHaveLength(1);
});
