import { SystemClock } from '#kernel/clock';
import { toId } from '#kernel/ids';
import type { PermissionName } from '#platform/auth/permissions';
import type { RequestContext } from '#platform/request-context';
import { waitFor } from '../../../test/support/wait-for';
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
import { GetDelivery, GetDeliveryHandler, ListDeliveries, ListDeliveriesHandler } from '../webhook.queries';
import {
  RegisterWebhook,
  RegisterWebhookHandler,
  SwitchWebhook,
  SwitchWebhookHandler,
  UpdateWebhook,
  UpdateWebhookHandler,
} from './endpoint.commands';
import type { WebhookPatch, WebhookRegistration } from './endpoint.input';

const OWN = 'https://hooks.example.com/own';
const OTHER = 'https://hooks.example.com/other';

let hooks: Webhooks;
let context: RequestContext;
/** The context of the same integration with a token whose scope is webhooks alone. */
let narrow: RequestContext;
let webhook: string;
const sender = new ScriptedSender(() => ({ status: 204 }));

beforeAll(async () => {
  hooks = await openWebhooks(new SystemClock());
  hooks.project();
  hooks.fanOut.start();
  hooks.dispatcher(sender).start();
});
afterAll(() => hooks.close());

beforeEach(async () => {
  context = await hooks.tenant();
  const scope: PermissionName[] = ['webhooks:read', 'webhooks:write'];
  narrow = { ...context, permissions: new Set(scope) };
  webhook = await hooks.hook(context, { url: OWN });
});

const id = () => toId('webhook', webhook);
const parts = () => [hooks.requests, hooks.subscriptions, hooks.signal] as const;
const sent = (url: string) => sender.to(url, context.tenant).map(({ body }) => body.type);

const patch = (by: RequestContext, body: WebhookPatch) =>
  new UpdateWebhookHandler(...parts()).execute(new UpdateWebhook(by, id(), body, undefined));
const put = (by: RequestContext, body: Partial<WebhookRegistration>) =>
  new RegisterWebhookHandler(...parts()).execute(
    new RegisterWebhook(by, { id: id(), enabled: true, url: OWN, events: ['webhook.test'], ...body }),
  );
const toggle = (by: RequestContext, paused: boolean) =>
  new SwitchWebhookHandler(...parts()).execute(new SwitchWebhook(by, id(), paused));
const redeliver = (by: RequestContext, delivery: string) =>
  new RedeliverHandler(hooks.requests, hooks.signal).execute(new Redeliver(by, id(), delivery));

interface Logged {
  id: string;
  state: DeliveryState;
}

async function log(by: RequestContext): Promise<Logged[]> {
  const handler = new ListDeliveriesHandler(hooks.store.writes, hooks.store.reads);
  const { body } = await handler.execute(new ListDeliveries(by, id(), {} as never));
  return (body as { data: { rows: Logged[] } }).data.rows;
}

/** The only delivery, once it is in that state. */
async function logged(state: DeliveryState): Promise<Logged> {
  const isSo = async () => (await log(context)).find((row) => row.state === state);
  return (await waitFor(isSo, { description: `a delivery in state ${state}` }))!;
}

it('waiting events are not sent to an address that a narrow token has set', async () => {
  await toggle(context, true);
  await hooks.event(context);
  await logged(DeliveryState.Pending);
  await put(narrow, { url: OTHER, secret: '12345678-0000-0000-0000-123456789012' });
  const { id: delivery } = await logged(DeliveryState.Failed);
  expect((await one(context, delivery)).attempts).toEqual([
    expect.objectContaining({
      error: 'permission_denied',
      detail: expect.stringContaining('divisions:read'),
    }),
  ]);
  expect(sent(OTHER)).toEqual([]);

  await new TestWebhookHandler(hooks.requests, hooks.signal).execute(new TestWebhook(narrow, id()));
  await waitFor(() => sent(OTHER).length > 0, { description: 'the test message' });
  expect(sent(OTHER)).toEqual(['webhook.test']);
  // A token that may read the event vouches for the webhook again.
  await patch(context, { description: 'Checked' });
  await redeliver(context, delivery);
  await waitFor(() => sent(OTHER).length > 1, { description: 'the event to be sent' });
  expect(sent(OTHER)).toEqual(['webhook.test', 'division.created']);
});

it('a narrow token sets another address only with another secret', async () => {
  const denied = { code: 'permission_denied' };
  await expect(patch(narrow, { url: OTHER, events: ['webhook.test'] })).rejects.toMatchObject(denied);
  await expect(put(narrow, { url: OTHER })).rejects.toMatchObject(denied);
  expect(await put(narrow, {})).toMatchObject({ status: 201 });
});

it('a narrow token sees no events that it may not read, and cannot have them sent again', async () => {
  await hooks.event(context);
  const { id: delivery } = await logged(DeliveryState.Delivered);
  expect(await log(narrow)).toEqual([]);
  await expect(one(narrow, delivery)).rejects.toMatchObject({ code: 'not_found' });
  await expect(redeliver(narrow, delivery)).rejects.toMatchObject({ code: 'not_found' });
  const replay = new ReplayWebhookHandler(hooks.requests, hooks.subscriptions, hooks.store.config);
  const since = new Date(Date.now() - 60_000).toISOString();
  await expect(replay.execute(new ReplayWebhook(narrow, id(), { since, mode: 'all' }))).rejects.toMatchObject(
    { code: 'permission_denied' },
  );
  expect(sent(OWN)).toEqual(['division.created']);
});

async function one(by: RequestContext, delivery: string): Promise<{ attempts: object[] }> {
  const handler = new GetDeliveryHandler(hooks.store.writes);
  const { body } = await handler.execute(new GetDelivery(by, id() as never, delivery as never));
  return (body as { data: { attempts: object[] } }).data;
}
