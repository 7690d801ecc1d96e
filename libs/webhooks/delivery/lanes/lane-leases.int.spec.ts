import { randomUUID } from 'node:crypto';
import { SystemClock } from '#kernel/clock';
import { openWebhooks, type Webhooks } from '../../testing/webhook-parts';
import { DeliverySettings } from '../delivery-settings';
import { QueuePools } from '../queue-pools';
import { LaneLeases } from './lane-leases';

let hooks: Webhooks;
let pools: QueuePools;
let webhook: string;

beforeAll(async () => {
  hooks = await openWebhooks(new SystemClock());
  pools = new QueuePools(hooks.store.config);
});
afterAll(async () => {
  await pools.end();
  await hooks.close();
});

beforeEach(async () => {
  webhook = await hooks.hook(await hooks.tenant());
  await hooks.sql(
    `insert into webhooks.deliveries (tenant_id, webhook_id, event_id, type, sent_as, kind, subject, version, changed,
       source, occurred_at, due_at, created_at)
     select tenant_id, id, gen_random_uuid(), 'division.created', 'division.created', 'division', gen_random_uuid(), 1,
       '[]', 'test', now(), now(), now()
     from webhooks.endpoints where id = $1`,
    [webhook],
  );
});

/** Whether another worker takes a lane whose lease ends so many seconds from now. */
async function isTaken(seconds: number): Promise<boolean> {
  await hooks.sql(
    `update webhooks.lanes set leased_by = $2, leased_until = clock_timestamp() + $3 * interval '1 second'
     where webhook_id = $1`,
    [webhook, randomUUID(), seconds],
  );
  const lanes = await new LaneLeases(pools, new DeliverySettings()).take(new Date(), 10);
  return lanes.some(({ config }) => config.webhook_id === webhook);
}

it('a lease holds until it ends, also when the clock was set back a little', async () => {
  expect(await isTaken(4)).toBe(false);
  expect(await isTaken(30)).toBe(false);
  expect(await isTaken(-1)).toBe(true);
});

it('a lease that ends further ahead than any lease can is over, as after a clock was set back by an hour', async () => {
  expect(await isTaken(3_600)).toBe(true);
});
