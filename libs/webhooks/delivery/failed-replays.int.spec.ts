import { SystemClock } from '#kernel/clock';
import { toId } from '#kernel/ids';
import type { RequestContext } from '#platform/request-context';
import { waitFor } from '../../../test/support/wait-for';
import { UpdateWebhook, UpdateWebhookHandler } from '../endpoints/endpoint.commands';
import type { WebhookPatch } from '../endpoints/endpoint.input';
import { DeliveryState } from '../queue/delivery';
import { ReplayWebhook, ReplayWebhookHandler } from '../queue/delivery.commands';
import { ScriptedSender } from '../testing/scripted-sender';
import { openWebhooks, type Webhooks } from '../testing/webhook-parts';

const OLD = 'https://hooks.example.com/old';
const NEW = 'https://hooks.example.com/new';

let hooks: Webhooks;
let context: RequestContext;
let webhook: string;
/** The status that the old address answers. */
let status: number;
const sender = new ScriptedSender(({ url }) => ({ status: url === NEW ? 204 : status }));

beforeAll(async () => {
  hooks = await openWebhooks(new SystemClock());
  hooks.project();
  hooks.fanOut.start();
  hooks.dispatcher(sender).start();
});
afterAll(() => hooks.close());

beforeEach(async () => {
  context = await hooks.tenant();
});

async function register(url: string): Promise<void> {
  webhook = await hooks.hook(context, { url, events: ['division.created'] });
}

async function patch(body: WebhookPatch): Promise<void> {
  const handler = new UpdateWebhookHandler(hooks.requests, hooks.subscriptions, hooks.signal);
  await handler.execute(new UpdateWebhook(context, toId('webhook', webhook), body, undefined));
}

async function replay(since: Date): Promise<void> {
  const handler = new ReplayWebhookHandler(hooks.requests, hooks.subscriptions, hooks.store.config);
  const body = { since: since.toISOString(), mode: 'failed' } as const;
  await handler.execute(new ReplayWebhook(context, toId('webhook', webhook), body));
  await hooks.replays.run();
}

const asked = (count: number) =>
  waitFor(() => sender.to(NEW, context.tenant).length >= count, {
    description: `${count} messages to the new address`,
  });

const standing = () => hooks.standing(webhook);
const deliveries = () => hooks.deliveries(webhook);

describe('an event that failed before its webhook was disabled', () => {
  it.each([
    [410, 'the webhook began to fail', 'failing_since'],
    [500, 'the webhook began to fail', 'failing_since'],
    [410, 'the webhook was disabled', 'disabled_at'],
    [500, 'the webhook was disabled', 'disabled_at'],
  ] as const)(
    'with %i is sent by a replay since the moment when %s, although the event is older',
    async (answer, _, moment) => {
      status = answer;
      await register(OLD);
      await hooks.event(context);
      await waitFor(async () => (await deliveries()).at(0)?.attempts === 1, { description: 'an attempt' });
      if (status === 410)
        await waitFor(async () => !(await standing()).enabled, { description: 'the webhook to be disabled' });
      else await patch({ enabled: false });
      const { [moment]: since } = await standing();
      await patch({ enabled: true, url: NEW });
      await replay(since!);
      await asked(1);
    },
  );

  it('is sent by such a replay even when it is fanned out only after the disabling', async () => {
    await register(NEW);
    await hooks.store.writes.transaction(async (client) => {
      // The feed shows no event before this transaction has ended.
      await client.query('select pg_current_xact_id()');
      await hooks.event(context);
      await patch({ enabled: false });
    });
    await waitFor(async () => (await deliveries()).length === 1, {
      description: 'the event to be fanned out',
    });
    await hooks.event(context, 'Meanwhile');
    await hooks.pruning.closeDisabled();
    expect(await deliveries()).toEqual([
      { state: DeliveryState.Failed, attempts: 0, error: 'webhook_disabled' },
    ]);
    await patch({ enabled: true });
    await replay((await standing()).disabled_at!);
    await asked(2);
  });
});

it('an event that waits for its next attempt is sent by a replay since its webhook began to fail', async () => {
  status = 500;
  await register(OLD);
  await hooks.event(context);
  const failing = () => standing().then(({ failing_since }) => failing_since);
  const since = await waitFor(failing, { description: 'the webhook to fail' });
  await hooks.sql(`update webhooks.deliveries set due_at = due_at + interval '1 day' where webhook_id = $1`, [
    webhook,
  ]);
  await patch({ url: NEW });
  await replay(since!);
  await asked(1);
});
