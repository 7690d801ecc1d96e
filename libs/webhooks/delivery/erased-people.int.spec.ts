import { SystemClock } from '#kernel/clock';
import { toId } from '#kernel/ids';
import type { RequestContext } from '#platform/request-context';
import { AnonymiseEntity, AnonymiseEntityHandler } from '#practice/entities/entity.anonymise';
import { CreateEntity, CreateEntityHandler } from '#practice/entities/entity.commands';
import { newTenant, Tenant } from '#practice/tenants/tenant';
import { allProjections } from '#practice/testing/projected-firms';
import { projectionParts } from '#projections/testing/parts';
import { waitFor } from '../../../test/support/wait-for';
import { ReplayWebhook, ReplayWebhookHandler } from '../queue/delivery.commands';
import { ScriptedSender, type Sent } from '../testing/scripted-sender';
import { openWebhooks, type Webhooks } from '../testing/webhook-parts';

const FULL = 'https://hooks.example.com/full';
const OTHER = 'https://hooks.example.com/other';

let hooks: Webhooks;
let sender: ScriptedSender;

beforeEach(async () => {
  hooks = await openWebhooks(new SystemClock());
  sender = new ScriptedSender(() => ({ status: 204 }));
  hooks.fanOut.start();
});
afterEach(() => hooks.close());

async function firm(): Promise<RequestContext> {
  const context = await hooks.tenant();
  await hooks.store.store.execute(context, async (work) =>
    work.create(Tenant, toId('tenant', context.tenant.streamId), newTenant('Firm', 'uk')),
  );
  return context;
}

async function person(context: RequestContext) {
  const body = { entityType: 'Individual' as const, lastName: 'Quillfeather', firstName: 'Zebedee' };
  const command = new CreateEntity(context, body);
  const { record, position } = await new CreateEntityHandler(hooks.store.store).execute(command);
  return { id: record.id, position: position! };
}

function erase(context: RequestContext, id: string) {
  return new AnonymiseEntityHandler(hooks.store.store).execute(new AnonymiseEntity(context, id as never));
}

async function replay(context: RequestContext, webhook: string): Promise<void> {
  const handler = new ReplayWebhookHandler(hooks.requests, hooks.subscriptions, hooks.store.config);
  const body = { since: new Date(Date.now() - 60_000).toISOString(), mode: 'all' } as const;
  await handler.execute(new ReplayWebhook(context, toId('webhook', webhook), body));
  await hooks.replays.run();
}

async function sentTo(url: string, count: number): Promise<Sent[]> {
  await waitFor(() => sender.to(url).length >= count, { description: `${count} messages to ${url}` });
  return sender.to(url);
}

it('an erased person is not sent again while the read models do not show the erasure yet', async () => {
  const [context, other] = [await firm(), await firm()];
  const webhook = await hooks.hook(context, { url: FULL, events: ['entity.created'] });
  const others = await hooks.hook(other, { url: OTHER, events: ['entity.created'] });
  const [{ id }] = [await person(context), await person(other)];
  hooks.dispatcher(sender).start();
  const { bus, runner } = projectionParts(hooks.store, allProjections);
  runner.start();
  try {
    await sentTo(FULL, 1);
    await sentTo(OTHER, 1);
  } finally {
    await bus.onApplicationShutdown();
  }

  await erase(context, id);
  const noted = () => hooks.sql('select from webhooks.erasures where tenant_id = $1', [context.tenant.id]);
  await waitFor(async () => (await noted()).length > 0, { description: 'the erasure to be fanned out' });
  await replay(context, webhook);
  await replay(other, others);
  await sentTo(OTHER, 2);
  expect(sender.to(FULL)).toHaveLength(1);

  hooks.project();
  const [, again] = await sentTo(FULL, 2);
  expect(again.body).toMatchObject({ type: 'entity.created', data: { id, data: { firstName: null } } });
});

it('an erased person is not sent while neither the read models nor the fan-out have come past the erasure', async () => {
  const [context, other] = [await firm(), await firm()];
  await hooks.hook(context, { url: FULL, events: ['entity.created'] });
  await hooks.hook(other, { url: OTHER, events: ['entity.created'] });
  const people = [await person(context), await person(other)];
  const queued = () => hooks.sql('select from webhooks.deliveries');
  await waitFor(async () => (await queued()).length === 2, { description: 'both to be fanned out' });
  await hooks.fanOut.onApplicationShutdown();
  const { bus, runner, positions } = projectionParts(hooks.store, allProjections);
  runner.start();
  try {
    for (const [index, { tenant }] of [context, other].entries())
      await positions.reach(tenant, people[index].position, 'the person');
  } finally {
    await bus.onApplicationShutdown();
  }

  const [{ id }] = people;
  await erase(context, id);
  hooks.dispatcher(sender).start();
  await sentTo(OTHER, 1);
  expect(sender.to(FULL)).toEqual([]);

  hooks.project();
  const [told] = await sentTo(FULL, 1);
  expect(told.body).toMatchObject({ type: 'entity.created', data: { id, data: { firstName: null } } });
});
