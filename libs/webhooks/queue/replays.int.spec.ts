import { Logger } from '@nestjs/common';
import type { TenantEvents, TenantFeed } from '#event-store/feed/tenant-feed';
import { SystemClock } from '#kernel/clock';
import { toId } from '#kernel/ids';
import type { Reply } from '#platform/http/reply';
import type { RequestContext, TenantRef } from '#platform/request-context';
import { UpdateWebhook, UpdateWebhookHandler } from '../endpoints/endpoint.commands';
import type { WebhookPatch } from '../endpoints/endpoint.input';
import { openWebhooks, type Webhooks } from '../testing/webhook-parts';
import { ReplayWebhook, ReplayWebhookHandler } from './delivery.commands';
import { Replays } from './replays';

let hooks: Webhooks;
/** Tenants of whose feed a part was read, in this order. */
let read: number[];

beforeAll(async () => {
  hooks = await openWebhooks(new SystemClock());
});
afterAll(() => hooks.close());

beforeEach(() => {
  read = [];
});

/** Replays over a feed that has this many parts for each tenant; reading a part beyond them fails. */
function replays(parts: Map<number, number>): Replays {
  const feed: Pick<TenantFeed, 'read'> = {
    async read({ id }: Pick<TenantRef, 'id'>, after): Promise<TenantEvents> {
      read.push(id);
      const left = parts.get(id)! - 1;
      if (left < 0) throw new Error('This part cannot be read.');
      parts.set(id, left);
      return { events: [], reached: after, more: left > 0 };
    },
  };
  return new Replays(hooks.store.writes, feed as TenantFeed, hooks.signal, new SystemClock());
}

/** Adds this many deliveries for the webhooks of a tenant, due at that time. */
const waiting = ({ tenant }: RequestContext, count: number, due: Date) =>
  hooks.sql(
    `insert into webhooks.deliveries (tenant_id, webhook_id, event_id, type, sent_as, kind, subject, version, changed,
       source, occurred_at, due_at, created_at)
     select tenant_id, id, gen_random_uuid(), 'division.created', 'division.created', 'division', gen_random_uuid(), 1,
       '[]', 'test', $3, $3, $3
     from webhooks.endpoints, generate_series(1, $2) where tenant_id = $1`,
    [tenant.id, count, due],
  );

/** Requests a replay of all events of the last minute. */
function ask(context: RequestContext, webhook: string): Promise<Reply> {
  const handler = new ReplayWebhookHandler(hooks.requests, hooks.subscriptions, hooks.store.config);
  const since = new Date(Date.now() - 60_000).toISOString();
  return handler.execute(new ReplayWebhook(context, toId('webhook', webhook), { since, mode: 'all' }));
}

/** Changes a webhook. */
function patch(context: RequestContext, webhook: string, body: WebhookPatch): Promise<Reply> {
  const handler = new UpdateWebhookHandler(hooks.requests, hooks.subscriptions, hooks.signal);
  return handler.execute(new UpdateWebhook(context, toId('webhook', webhook), body, undefined));
}

/** A tenant with a webhook and a requested replay. */
async function asking(): Promise<RequestContext> {
  const context = await hooks.tenant();
  await ask(context, await hooks.hook(context));
  return context;
}

const open = async () =>
  (
    await hooks.sql<{ tenant_id: number }>('select tenant_id from webhooks.replays where finished_at is null')
  ).map(({ tenant_id }) => tenant_id);

it('a long replay does not hold up those that were asked for later', async () => {
  const [long, short] = [(await asking()).tenant.id, (await asking()).tenant.id];
  await replays(
    new Map([
      [long, 3],
      [short, 1],
    ]),
  ).run();
  expect(read).toEqual([long, short, long, long]);
  expect(await open()).toEqual([]);
});

it('a replay that cannot go on does not hold up others, and is tried again', async () => {
  const [broken, well] = [(await asking()).tenant.id, (await asking()).tenant.id];
  const parts = new Map([
    [broken, 0],
    [well, 2],
  ]);
  const running = replays(parts);
  await running.run();
  expect(await open()).toEqual([broken]);
  expect(read).toEqual([broken, well, well]);
  parts.set(broken, 1);
  await running.run();
  expect(await open()).toEqual([]);
});

it('a replay waits while very many messages of its tenant are due', async () => {
  const [busy, retrying] = [await asking(), await asking()];
  await waiting(busy, 2_000, new Date());
  await waiting(retrying, 2_000, new Date(Date.now() + 3_600_000));
  const running = replays(
    new Map([
      [busy.tenant.id, 1],
      [retrying.tenant.id, 1],
    ]),
  );
  await running.run();
  expect(await open()).toEqual([busy.tenant.id]);
  expect(read).toEqual([retrying.tenant.id]);
  await hooks.sql('update webhooks.deliveries set state = 1 where tenant_id = $1', [busy.tenant.id]);
  await running.run();
  expect(await open()).toEqual([]);
});

it('the due messages of a webhook are counted once for all its replays', async () => {
  const context = await hooks.tenant();
  const webhook = await hooks.hook(context);
  for (let count = 0; count < 10; count++) await ask(context, webhook);
  await waiting(context, 2_000, new Date());
  const [next, last] = [(await asking()).tenant.id, (await asking()).tenant.id];
  const { pool } = hooks.store.writes;
  const asked = jest.spyOn(pool, 'query');
  await replays(
    new Map([
      [next, 0],
      [last, 0],
    ]),
  ).run();
  const [[text, [, ...values]]] = asked.mock.calls as unknown as [string, unknown[]][];
  asked.mockRestore();
  const { rows } = await pool.query(`explain (analyze, format json) ${text}`, [[], ...values]);
  const counts = /"Relation Name":"deliveries"[^{}]*"Actual Loops":(\d+)/.exec(JSON.stringify(rows))!;
  // Once for the webhook, and once for the next, whose replay may go on.
  expect(Number(counts[1])).toBe(2);
  await hooks.sql('update webhooks.replays set finished_at = now()');
});

it('at most ten replays of a webhook are under way', async () => {
  const context = await hooks.tenant();
  const [busy, other] = [await hooks.hook(context), await hooks.hook(context)];
  const asked = await Promise.allSettled(Array.from({ length: 12 }, () => ask(context, busy)));
  const refused = asked.flatMap((each) => (each.status === 'rejected' ? [each.reason.code] : []));
  expect(refused).toEqual(['too_many_replays', 'too_many_replays']);
  expect((await ask(context, other)).status).toBe(202);
  await hooks.sql('update webhooks.replays set finished_at = now()');
  expect((await ask(context, busy)).status).toBe(202);
});

describe('once the grant of its integration is revoked', () => {
  const revoke = ({ integrationId }: RequestContext) =>
    hooks.sql('update platform.grants set revoked_at = now() where integration_id = $1', [integrationId]);

  it('a webhook has no replays, until another integration changes it', async () => {
    const context = await hooks.tenant();
    const webhook = await hooks.hook(context);
    const other = await hooks.integration(context);
    await revoke(context);
    await expect(ask(other, webhook)).rejects.toMatchObject({
      fault: 'conflict',
      code: 'integration_revoked',
    });
    expect(await open()).not.toContain(context.tenant.id);
    await patch(other, webhook, { description: 'Has another integration' });
    expect((await ask(other, webhook)).status).toBe(202);
    await hooks.sql('update webhooks.replays set finished_at = now()');
  });

  it('a replay ends, and the log says so', async () => {
    const context = await asking();
    const logged = jest.spyOn(Logger.prototype, 'log').mockReturnValue();
    await revoke(context);
    await replays(new Map()).run();
    expect(await open()).toEqual([]);
    expect(read).toEqual([]);
    expect(logged.mock.calls).toEqual([[expect.stringMatching(/replay .* revoked/)]]);
    logged.mockRestore();
  });
});

it('replays end when their webhook is disabled, even when it is enabled again at once', async () => {
  const context = await hooks.tenant();
  const webhook = await hooks.hook(context);
  for (let count = 0; count < 10; count++) await ask(context, webhook);
  await expect(ask(context, webhook)).rejects.toThrow('Disabling the webhook ends all of them');
  for (const enabled of [false, true]) await patch(context, webhook, { enabled });
  expect(await open()).not.toContain(context.tenant.id);
  expect((await ask(context, webhook)).status).toBe(202);
});
