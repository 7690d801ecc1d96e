import type { Pool, QueryConfig } from 'pg';
import { toId } from '#kernel/ids';
import type { WriteDatabase } from '#platform/database';
import type { RequestContext } from '#platform/request-context';
import { SetClock } from '../../../test/support/set-clock';
import type { DeliveriesQuery } from '../log/delivery.views';
import { openWebhooks, type Webhooks } from '../testing/webhook-parts';
import { ListDeliveries, ListDeliveriesHandler } from '../webhook.queries';
import { DeliverySettings } from './delivery-settings';
import { LaneLeases } from './lanes/lane-leases';
import { WRITE } from './outcomes';
import { QueuePools } from './queue-pools';

/** So many that a statement for twenty must not scan them all. */
const MANY = 20_000;
const clock = new SetClock(new Date('2026-03-01T12:00:00Z'));
let hooks: Webhooks;
let context: RequestContext;
let webhook: string;
let waiting: object[];
let pools: QueuePools;

/** Makes many deliveries wait. The planner may not know of them yet. */
beforeAll(async () => {
  hooks = await openWebhooks(clock);
  pools = new QueuePools(hooks.store.config);
  context = await hooks.tenant();
  webhook = await hooks.hook(context);
  await hooks.sql(
    `with e as (
       insert into webhooks.endpoints (tenant_id, id, integration_id, url, events, payload_mode, secret, since_epoch, created_at,
         created_by, updated_at, updated_by)
       select tenant_id, gen_random_uuid(), integration_id, url, events, payload_mode, secret, since_epoch, created_at,
         created_by, updated_at, updated_by
       from webhooks.endpoints, generate_series(1, 1000) where id = $1
       returning tenant_id, id)
     insert into webhooks.lanes (tenant_id, webhook_id) select tenant_id, id from e`,
    [webhook],
  );
  await deliveries(1);
  await hooks.sql('analyze webhooks.deliveries, webhooks.endpoints, webhooks.lanes');
  waiting = await deliveries(0);
});
afterAll(async () => {
  await pools.end();
  await hooks.close();
});

function deliveries(state: number): Promise<object[]> {
  return hooks.sql(
    `insert into webhooks.deliveries (tenant_id, webhook_id, event_id, type, sent_as, kind, subject, version, changed, source,
       occurred_at, due_at, created_at, state)
     select $1, $2, gen_random_uuid(), 'division.created', 'division.created', 'division', gen_random_uuid(), 1, '[]', 'rest',
       now(), $5, now(), $3 from generate_series(1, $4::int)
     returning tenant_id, webhook_id, event_id`,
    [context.tenant.id, webhook, state, MANY, clock.at],
  );
}

interface Node {
  'Relation Name'?: string;
  'Actual Rows': number;
  'Actual Loops': number;
  'Rows Removed by Filter'?: number;
  Plans?: Node[];
}

function nodesOf(node: Node): Node[] {
  return [node, ...(node.Plans ?? []).flatMap(nodesOf)];
}

/** Executes a statement. @returns the nodes of its plan that read deliveries */
async function nodes({ text, values }: QueryConfig, pool: Pool): Promise<Node[]> {
  const { rows } = await pool.query<{ 'QUERY PLAN': { Plan: Node }[] }>(
    `explain (analyze, format json) ${text}`,
    values,
  );
  return nodesOf(rows[0]['QUERY PLAN'][0].Plan).filter((node) => node['Relation Name'] === 'deliveries');
}

/** Executes a worker's statement. @returns how many deliveries it read */
async function read(statement: QueryConfig): Promise<number> {
  const counts = (await nodes(statement, pools.queue)).map(
    (node) => node['Actual Rows'] * node['Actual Loops'],
  );
  return Math.max(0, ...counts);
}

it.each([
  ['before the planner has statistics', async () => {}],
  ['when the planner has statistics', () => hooks.sql('analyze webhooks.deliveries')],
])('a worker that takes endpoints reads at most one waiting delivery of each, %s', async (_, known) => {
  await known();
  const asked: QueryConfig[] = [];
  const query = async (config: QueryConfig) => {
    asked.push(config);
    return { rows: [] };
  };
  const leases = new LaneLeases({ queue: { query } } as unknown as QueuePools, new DeliverySettings());
  await leases.take(clock.now(), 10);
  await leases.take(clock.now(), 10, [`${context.tenant.id}/${webhook}`]);

  for (const statement of asked) expect(await read(statement)).toBeLessThanOrEqual(1);
});

it('a worker finds the deliveries whose results it writes down by their keys', async () => {
  const [endpoint] = await hooks.sql<{ registered_at: Date; url: string }>(
    'select created_at as registered_at, url from webhooks.endpoints where id = $1',
    [webhook],
  );
  const ended = {
    ...endpoint,
    was_due: clock.at,
    at: clock.now(),
    milliseconds: 5,
    status: 200,
    state: 1,
    failures: 0,
  };
  const given = waiting.slice(0, 20).map((delivery) => ({ ...delivery, ...ended }));

  expect(await read({ text: WRITE, values: [JSON.stringify(given), '[]', webhook] })).toBe(given.length);

  expect(await hooks.sql('select from webhooks.deliveries where state = 0')).toHaveLength(MANY - 20);
});

/** Reads a list of deliveries. @returns its answer, and how many rows it read in vain */
async function listed(of: string, query: DeliveriesQuery) {
  const asked: QueryConfig[] = [];
  const pool = {
    async query(text: string, values: unknown[]) {
      asked.push({ text, values });
      return hooks.store.writes.pool.query(text, values);
    },
  };
  const list = new ListDeliveriesHandler({ pool } as unknown as WriteDatabase, hooks.store.reads);
  const { body } = await list.execute(new ListDeliveries(context, toId('webhook', of), query));
  const touched = await nodes(asked.at(-1)!, hooks.store.writes.pool);
  return { body, inVain: touched.map((node) => node['Rows Removed by Filter'] ?? 0) };
}

it('the list finds the few that failed among very many that arrived', async () => {
  await hooks.sql(
    `update webhooks.deliveries set state = 2 where ctid = any(array(
       select ctid from webhooks.deliveries where state = 1 order by event_id limit 3))`,
  );
  const { body, inVain } = await listed(webhook, { state: 2 });
  expect(body).toMatchObject({ data: { rows: [{ state: 2 }, { state: 2 }, { state: 2 }], hasMore: false } });
  expect(inVain).toEqual([0]);
});

it('the list finds the few of the last minute among very many of days before', async () => {
  const [{ id: busy }] = await hooks.sql<{ id: string }>(
    'select id from webhooks.endpoints where id <> $1 limit 1',
    [webhook],
  );
  await hooks.sql(
    `insert into webhooks.deliveries (tenant_id, webhook_id, event_id, type, sent_as, kind, subject, version, changed, source,
       occurred_at, due_at, created_at, state)
     select $1, $2, uuidv7(at - now()), 'division.created', 'division.created', 'division', gen_random_uuid(), 1, '[]', 'rest',
       at, at, at, 1
     from (select now() - case when n <= 2 then interval '1 s' else n * interval '1 minute' end as at
           from generate_series(1, $3::int) n) t where at > now() - interval '1 minute' or at < now() - interval '1 day'`,
    [context.tenant.id, busy, MANY],
  );
  await hooks.sql('analyze webhooks.deliveries');
  const since = new Date(Date.now() - 60_000).toISOString();
  const { body, inVain } = await listed(busy, { since });
  expect(body).toMatchObject({ data: { rows: [{ state: 1 }, { state: 1 }], hasMore: false } });
  expect(inVain).toEqual([0]);
});
