import { SetClock } from '../../../test/support/set-clock';
import { openWebhooks, type Webhooks } from '../testing/webhook-parts';

/** The clock stands still, so that no hour ends in the middle of a test. */
const clock = new SetClock(new Date());
let hooks: Webhooks;
let webhook: string;

beforeAll(async () => {
  hooks = await openWebhooks(clock);
});
afterAll(() => hooks.close());

beforeEach(async () => {
  webhook = await hooks.hook(await hooks.tenant());
  await hooks.sql(
    `insert into webhooks.deliveries (tenant_id, webhook_id, event_id, type, sent_as, kind, subject, version, changed,
       source, occurred_at, due_at, created_at)
     select tenant_id, id, gen_random_uuid(), 'division.created', 'division.created', 'division', gen_random_uuid(), 1,
       '[]', 'test', now(), now(), now()
     from webhooks.endpoints, generate_series(1, 3) where id = $1`,
    [webhook],
  );
});

const states = async () =>
  (
    await hooks.sql<{ state: number }>('select state from webhooks.deliveries where webhook_id = $1', [
      webhook,
    ])
  )
    .map(({ state }) => state)
    .sort();

/**
 * Does the work while a request has locked a delivery. If the work waited for the lock, it would fail at the time limit
 * of its statement. In production that would be a deadlock, as soon as the request needed a row that the work has
 * locked.
 */
async function besideARequest(work: () => Promise<unknown>): Promise<void> {
  await hooks.store.writes.transaction(async (client) => {
    await client.query('select from webhooks.deliveries where webhook_id = $1 limit 1 for update', [webhook]);
    await work();
  });
}

it('deliveries that wait for a disabled webhook fail without waiting for one that a request has locked', async () => {
  await hooks.sql('update webhooks.endpoints set enabled = false where id = $1', [webhook]);
  await besideARequest(() => hooks.pruning.closeDisabled());
  expect(await states()).toEqual([0, 2, 2]);
  await hooks.pruning.closeDisabled();
  expect(await states()).toEqual([2, 2, 2]);
});

it('deliveries of a removed webhook are deleted without waiting for one that a request has locked', async () => {
  await hooks.sql('delete from webhooks.endpoints where id = $1', [webhook]);
  await besideARequest(() => hooks.pruning.prune());
  expect(await states()).toEqual([0]);
  await hooks.pruning.prune();
  expect(await states()).toEqual([]);
});

it('attempts that were locked when their deliveries were deleted are deleted later', async () => {
  await hooks.sql(
    `insert into webhooks.attempts (tenant_id, webhook_id, event_id, number, at, milliseconds)
     select tenant_id, webhook_id, event_id, 1, now(), 5 from webhooks.deliveries where webhook_id = $1`,
    [webhook],
  );
  const attempts = () => hooks.sql('select number from webhooks.attempts where webhook_id = $1', [webhook]);
  await hooks.sql('delete from webhooks.endpoints where id = $1', [webhook]);
  await hooks.store.writes.transaction(async (client) => {
    // Wiping answers takes such a lock.
    await client.query('select from webhooks.attempts where webhook_id = $1 limit 1 for update', [webhook]);
    await hooks.pruning.prune();
  });
  expect(await states()).toEqual([]);
  expect(await attempts()).toHaveLength(1);
  await hooks.pruning.prune();
  expect(await attempts()).toEqual([]);
});

it('the hours of a year are deleted at once when the log is kept for fewer days', async () => {
  await hooks.sql(
    `insert into webhooks.hours (partition, hour, epoch, transaction_id, position)
     select p, date_trunc('hour', $1::timestamptz) - h * interval '1 hour', 1, '1', 1
     from generate_series(100, 111) p, generate_series(0, 365 * 24) h`,
    [clock.now()],
  );
  await hooks.sql('analyze webhooks.hours');
  await hooks.pruning.prune();
  const left = await hooks.sql(
    `select partition, count(*)::int as kept,
       count(*) filter (where hour <= $1::timestamptz - 30 * interval '24 hours')::int as before
     from webhooks.hours where partition >= 100 group by partition`,
    [clock.now()],
  );
  expect(left).toHaveLength(12);
  for (const { before, kept } of left as { before: number; kept: number }[])
    expect([before, kept]).toEqual([1, 30 * 24 + 1]);
});
