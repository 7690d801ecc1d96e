import type { RecordedEvent } from '#event-store/events';
import type { TenantFeed } from '#event-store/feed/tenant-feed';
import { toId, toUuid } from '#kernel/ids';
import type { RequestContext } from '#platform/request-context';
import { feedVisible } from '../../../test/support/feed-visible';
import { SetClock } from '../../../test/support/set-clock';
import { openWebhooks, type Webhooks } from '../testing/webhook-parts';
import { Redeliver, RedeliverHandler, ReplayWebhook, ReplayWebhookHandler } from './delivery.commands';
import { Replays } from './replays';

const HOUR = 3_600;

const clock = new SetClock(new Date('2026-03-01T12:00:00Z'));
let hooks: Webhooks;
let context: RequestContext;
let webhook: string;

beforeAll(async () => {
  hooks = await openWebhooks(clock);
});
afterAll(() => hooks.close());

beforeEach(async () => {
  context = await hooks.tenant();
  webhook = await hooks.hook(context);
});

/** Records an event. @returns the UUID of its record */
async function event(name: string): Promise<string> {
  const { record } = await hooks.event(context, name);
  return toUuid(record.id);
}

async function others(count: number): Promise<void> {
  for (let number = 0; number < count; number += 20)
    await Promise.all(Array.from({ length: 20 }, (_, index) => event(`Other ${number + index}`)));
}

/** Requests a replay of the hour until now. */
async function ask(): Promise<void> {
  await feedVisible(hooks.store.writes.pool);
  const handler = new ReplayWebhookHandler(hooks.requests, hooks.subscriptions, hooks.store.config);
  const since = new Date(clock.now().getTime() - HOUR * 1000).toISOString();
  const body = { since, until: clock.now().toISOString(), mode: 'all' } as const;
  await handler.execute(new ReplayWebhook(context, toId('webhook', webhook), body));
}

/** Asks for the only delivery again. */
async function redeliver(): Promise<void> {
  const [{ event_id }] = await hooks.sql<{ event_id: string }>(
    'select event_id from webhooks.deliveries where webhook_id = $1',
    [webhook],
  );
  const again = new Redeliver(context, toId('webhook', webhook), toId('delivery', event_id));
  await new RedeliverHandler(hooks.requests, hooks.signal).execute(again);
}

/** The replays of a worker that reads the feed in this way. */
function through(read: TenantFeed['read']): Replays {
  return new Replays(hooks.store.writes, { read } as TenantFeed, hooks.signal, clock);
}

async function queued(): Promise<string[]> {
  const rows = await hooks.sql<{ subject: string }>(
    'select subject from webhooks.deliveries where webhook_id = $1',
    [webhook],
  );
  return rows.map(({ subject }) => subject);
}

/** Does the work under a clock that is an hour ahead. */
async function ahead<T>(work: () => Promise<T>): Promise<T> {
  clock.advance(HOUR);
  try {
    return await work();
  } finally {
    clock.advance(-HOUR);
  }
}

describe('an event that was recorded by a clock that ran ahead', () => {
  it('ends no replay of the time before', async () => {
    const first = await event('First');
    const second = await ahead(() => event('Second'));
    const third = await event('Third');
    await others(600);
    const last = await event('Last');
    await ask();
    await hooks.replays.run();
    const sent = await queued();
    expect(sent).toHaveLength(603);
    expect(sent).toEqual(expect.arrayContaining([first, third, last]));
    expect(sent).not.toContain(second);
  });

  it('ends no replay either when it is the only event of a part', async () => {
    await ahead(() => event('Ahead'));
    const last = await event('Last');
    await ask();
    // As in a partition where ten thousand events of other tenants follow each of this one's.
    await through((tenant, after) => hooks.feed.read(tenant, after, 1)).run();
    expect(await queued()).toEqual([last]);
  });
});

it('a replay does not go through all later events', async () => {
  await ask();
  const later = { recordedAt: new Date(clock.now().getTime() + HOUR * 1000) } as RecordedEvent;
  let parts = 0;
  await through(async (_, after) => {
    parts++;
    return { events: Array.from({ length: 500 }, () => later), reached: after, more: parts < 10 };
  }).run();
  expect(parts).toBe(1);
});

it('the feed is not held back while a part of a replay is read', async () => {
  await event('First');
  await ask();
  let writing: object[] | undefined;
  await through(async (tenant, after, limit) => {
    writing = await hooks.sql(
      `select query from pg_stat_activity
       where datname = current_database() and backend_type = 'client backend' and backend_xid is not null`,
    );
    return hooks.feed.read(tenant, after, limit);
  }).run();
  expect(writing).toEqual([]);
  expect(await queued()).toHaveLength(1);
});

it('an event that two workers have read is queued once', async () => {
  await event('First');
  await event('Second');
  await ask();
  const states = () =>
    hooks.sql('select state from webhooks.deliveries where webhook_id = $1 order by event_id', [webhook]);
  let parts = 0;
  const other = through(async (tenant, after) => {
    if (++parts > 1) throw new Error('The other worker reads one event.');
    return hooks.feed.read(tenant, after, 1);
  });
  await through(async (tenant, after, limit) => {
    const both = await hooks.feed.read(tenant, after, limit);
    // The other worker is quicker, and what it queues is sent at once.
    await other.run();
    await hooks.sql('update webhooks.deliveries set state = 1 where webhook_id = $1', [webhook]);
    return both;
  }).run();
  expect(await states()).toEqual([{ state: 1 }]);
  await hooks.replays.run();
  expect(await states()).toEqual([{ state: 1 }, { state: 0 }]);
});

describe.each([
  ['a replay', ask],
  ['a redelivery', redeliver],
])('a delivery that waits again after %s', (_, again) => {
  it.each([
    ['says no more that its webhook was disabled', 'webhook_disabled', null],
    ['still says why its last attempt failed', 'timeout', 'timeout'],
  ])('%s', async (_, before, after) => {
    await event('First');
    await ask();
    await hooks.replays.run();
    await hooks.sql('update webhooks.deliveries set state = 2, error = $2 where webhook_id = $1', [
      webhook,
      before,
    ]);
    await again();
    await hooks.replays.run();
    expect(await hooks.deliveries(webhook)).toEqual([{ state: 0, attempts: 0, error: after }]);
  });
});
