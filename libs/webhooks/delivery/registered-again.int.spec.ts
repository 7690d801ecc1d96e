import { toUuid } from '#kernel/ids';
import { waitFor } from '../../../test/support/wait-for';
import { ATTEMPTS } from '../queue/delivery';
import { ChangingWebhook, NEW, OLD } from '../testing/changing-webhook';

let scene: ChangingWebhook;

beforeAll(async () => {
  scene = await ChangingWebhook.open();
});
afterAll(() => scene.hooks.close());

/** A delivery waits for a webhook whose receiver refuses everything, and which is then removed. */
beforeEach(async () => {
  await scene.renew();
  scene.answered = Promise.resolve({ status: 503 });
  await scene.register(OLD);
  await scene.hooks.event(scene.context, 'Before');
  await waitFor(async () => (await deliveries()).at(0)?.attempts === 1, { description: 'an attempt' });
  await scene.remove();
});

const deliveries = () =>
  scene.hooks.sql<{ subject: string; state: number; attempts: number }>(
    'select subject, state, attempts from webhooks.deliveries where webhook_id = $1',
    [scene.webhook],
  );

it('a webhook that is registered again is sent nothing that waited before', async () => {
  await scene.register(NEW);
  const { record } = await scene.hooks.event(scene.context, 'After');
  await waitFor(async () => (await deliveries()).some(({ state }) => state === 1), {
    description: 'the event to be delivered',
  });
  expect(scene.sentTo(NEW).map(({ body }) => body.data.id)).toEqual([record.id]);
  expect(await deliveries()).toHaveLength(1);
  expect(
    await scene.hooks.sql(`select from ${ATTEMPTS} a where webhook_id = $1`, [scene.webhook]),
  ).toHaveLength(1);
});

it('a webhook that is registered again is sent nothing that was about to be queued when it was removed', async () => {
  await scene.register(OLD);
  const isWaiting = async (what: string) =>
    (await scene.hooks.sql(`select from pg_locks where not granted and ${what}`)).length > 0;
  let again: Promise<void> | undefined;
  await scene.hooks.store.writes.transaction(async (client) => {
    await client.query('lock table webhooks.checkpoints in share row exclusive mode');
    await scene.hooks.event(scene.context, 'Meanwhile');
    await waitFor(() => isWaiting(`relation = 'webhooks.checkpoints'::regclass`), {
      description: 'the fan-out to wait for its checkpoint',
    });
    let isRegistered = false;
    again = scene
      .remove()
      .then(() => scene.register(NEW))
      .then(() => {
        isRegistered = true;
      });
    await waitFor(async () => isRegistered || (await isWaiting(`locktype = 'advisory'`)), {
      description: 'the new registration',
    });
  });
  await again;
  const { record } = await scene.hooks.event(scene.context, 'After');
  await waitFor(async () => (await deliveries()).some(({ state }) => state === 1), {
    description: 'the event to be delivered',
  });
  expect((await deliveries()).map(({ subject }) => subject)).toEqual([toUuid(record.id)]);
});

it('a webhook that is registered again keeps what is queued for it while its former log is being removed', async () => {
  const { pool } = scene.hooks.store.writes;
  const query = pool.query.bind(pool) as (...args: unknown[]) => Promise<unknown>;
  const looked = jest.spyOn(pool, 'query').mockImplementationOnce((async (...args: unknown[]) => {
    const removed = await query(...args);
    await scene.register(OLD);
    await scene.hooks.event(scene.context, 'After');
    await waitFor(async () => (await deliveries()).length === 1, { description: 'the event to be queued' });
    return removed;
  }) as never);
  await scene.hooks.pruning.prune();
  looked.mockRestore();
  expect(await deliveries()).toHaveLength(1);
});
