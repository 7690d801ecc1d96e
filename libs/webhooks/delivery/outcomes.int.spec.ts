import type { RequestContext } from '#platform/request-context';
import { SetClock } from '../../../test/support/set-clock';
import { openWebhooks, type Webhooks } from '../testing/webhook-parts';
import { WRITE } from './outcomes';

let hooks: Webhooks;
let context: RequestContext;
let webhook: string;
beforeAll(async () => {
  hooks = await openWebhooks(new SetClock(new Date('2026-03-01T12:00:00Z')));
  context = await hooks.tenant();
  webhook = await hooks.hook(context);
});
afterAll(() => hooks.close());

/** Too many to be gone through for twenty. */
const MANY = 20_000;

function deliveries(state: number): Promise<object[]> {
  return hooks.sql(
    `insert into webhooks.deliveries (tenant_id, webhook_id, event_id, type, sent_as, kind, subject, version, changed, source,
       occurred_at, due_at, created_at, state)
     select $1, $2, gen_random_uuid(), 'division.created', 'division.created', 'division', gen_random_uuid(), 1, '[]', 'rest',
       now(), now(), now(), $3 from generate_series(1, $4::int)
     returning tenant_id, webhook_id, event_id`,
    [context.tenant.id, webhook, state, MANY],
  );
}

interface Node {
  'Relation Name'?: string;
  'Actual Rows': number;
  'Actual Loops': number;
  Plans?: Node[];
}

function nodesOf(node: Node): Node[] {
  return [node, ...(node.Plans ?? []).flatMap(nodesOf)];
}

it('finds the deliveries that it writes down by their keys, however many wait', async () => {
  await deliveries(1);
  // Now the planner takes next to none of them for waiting.
  await hooks.sql('analyze webhooks.deliveries');
  const waiting = await deliveries(0);
  const ended = { at: new Date(), milliseconds: 5, status: 200, state: 1, failures: 0 };
  const given = waiting.slice(0, 20).map((delivery) => ({ ...delivery, ...ended }));

  const [{ 'QUERY PLAN': plans }] = await hooks.sql<{ 'QUERY PLAN': { Plan: Node }[] }>(
    `explain (analyze, format json) ${WRITE}`,
    [JSON.stringify(given), '[]', webhook],
  );

  const read = nodesOf(plans[0].Plan)
    .filter((node) => node['Relation Name'] === 'deliveries')
    .map((node) => node['Actual Rows'] * node['Actual Loops']);
  expect(Math.max(...read)).toBe(given.length);
  expect(await hooks.sql('select from webhooks.deliveries where state = 0')).toHaveLength(MANY - 20);
});
