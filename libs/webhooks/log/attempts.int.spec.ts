import { toId } from '#kernel/ids';
import type { RequestContext } from '#platform/request-context';
import { SetClock } from '../../../test/support/set-clock';
import { waitFor } from '../../../test/support/wait-for';
import type { Dispatcher } from '../delivery/dispatcher';
import type { Outcome } from '../protocol/sender';
import { Redeliver, RedeliverHandler } from '../queue/delivery.commands';
import { ScriptedSender } from '../testing/scripted-sender';
import { openWebhooks, type Webhooks } from '../testing/webhook-parts';
import { GetDelivery, GetDeliveryHandler, ListDeliveries, ListDeliveriesHandler } from '../webhook.queries';
import type { AttemptView, DeliveryView } from './delivery.views';

let hooks: Webhooks;
let context: RequestContext;
let dispatcher: Dispatcher;
let webhook: string;
let answer: Partial<Outcome> | Promise<Partial<Outcome>>;
const clock = new SetClock(new Date());
const sender = new ScriptedSender(() => answer);
const ok = { status: 200, response: 'Thank you, Ada', address: '203.0.113.7', milliseconds: 12 };
const no = { status: 500, response: 'Sorry, Ada', address: '203.0.113.7' };
const moved = 'Redirects are not followed (to /people/ada).';
const elsewhere = { status: 303, error: 'redirect', detail: moved, address: '203.0.113.7' };

beforeAll(async () => {
  hooks = await openWebhooks(clock);
  hooks.project();
  hooks.fanOut.start();
  dispatcher = hooks.dispatcher(sender, { random: () => 0.5 });
  dispatcher.start();
});
beforeEach(async () => {
  clock.at = new Date('2026-03-01T12:00:00Z');
  context = await hooks.tenant();
  webhook = await hooks.hook(context);
  answer = ok;
});
afterAll(() => hooks.close());

type WithAttempts = DeliveryView & { attempts: AttemptView[] };

/** The only delivery, as the webhook's owner reads it, once this many attempts have been written down. */
async function attempted(count: number): Promise<WithAttempts> {
  const { pool } = hooks.store.writes;
  const id = toId('webhook', webhook);
  const list = new ListDeliveriesHandler({ pool } as never, {} as never);
  const one = new GetDeliveryHandler({ pool } as never);
  const read = async () => {
    const { body } = await list.execute(new ListDeliveries(context, id, {}));
    const [row] = (body as { data: { rows: DeliveryView[] } }).data.rows;
    if (row?.attemptCount !== count) return undefined;
    const reply = await one.execute(new GetDelivery(context, id, row.id as never));
    return (reply.body as { data: WithAttempts }).data;
  };
  return (await waitFor(read, { description: `attempt ${count} to be written down` }))!;
}

/** Rows of webhooks.attempts. */
const rows = () => hooks.sql('select from webhooks.attempts where webhook_id = $1', [webhook]);

async function redeliver({ id }: DeliveryView): Promise<void> {
  // No two attempts at a delivery begin at the same time.
  clock.advance(1);
  const command = new Redeliver(context, toId('webhook', webhook), id);
  await new RedeliverHandler(hooks.requests, hooks.signal).execute(command);
}

/** Records the erasure of a person of the tenant, which the fan-out then reads. */
async function erase(): Promise<void> {
  await hooks.sql(
    `insert into event_store.events (tenant_id, stream_id, version, epoch, partition, event_id, type, schema_version, data,
       metadata, recorded_at)
     values ($1, gen_random_uuid(), 1, 1, $2, gen_random_uuid(), 'EntityAnonymised', 1,
       '{"shownAs": "Erased 1234", "anonymisedOn": "2026-01-01T00:00:00Z"}',
       '{"actor": "cli", "correlationId": "x", "source": "rest"}', now())`,
    [context.tenant.id, context.tenant.partition],
  );
}

const first = {
  number: 1,
  on: '2026-03-01T12:00:00.000Z',
  milliseconds: 12,
  status: 200,
  error: null,
  detail: null,
  response: 'Thank you, Ada',
  address: '203.0.113.7',
};

it('keeps a first attempt that succeeds in the row of its delivery, even when that is sent again', async () => {
  await hooks.event(context);
  const delivery = await attempted(1);
  expect(delivery.attempts).toEqual([first]);
  expect(await rows()).toEqual([]);
  answer = no;
  await redeliver(delivery);
  const failed = { number: 2, status: 500, error: 'status', response: 'Sorry, Ada' };
  expect((await attempted(2)).attempts).toEqual([first, expect.objectContaining(failed)]);
  answer = ok;
  await redeliver(delivery);
  expect((await attempted(3)).attempts).toEqual([
    first,
    expect.objectContaining(failed),
    expect.objectContaining({ number: 3, status: 200 }),
  ]);
});

it('keeps a first attempt that fails, and all that follow, in the table of attempts', async () => {
  answer = no;
  await hooks.event(context);
  expect((await attempted(1)).attempts).toEqual([expect.objectContaining({ number: 1, status: 500 })]);
  answer = ok;
  clock.advance(5);
  dispatcher.look();
  const { attempts } = await attempted(2);
  expect(attempts.map(({ number, status }) => [number, status])).toEqual([
    [1, 500],
    [2, 200],
  ]);
  expect(await rows()).toHaveLength(2);
});

it('shows the latest hundred attempts of a delivery that was sent again very often', async () => {
  await hooks.event(context);
  await attempted(1);
  await hooks.sql(
    `insert into webhooks.attempts (tenant_id, webhook_id, event_id, number, at, milliseconds, status)
     select tenant_id, webhook_id, event_id, number, now(), 5, 200
     from webhooks.deliveries, generate_series(2, 150) number where webhook_id = $1`,
    [webhook],
  );
  await hooks.sql('update webhooks.deliveries set attempts = 150 where webhook_id = $1', [webhook]);
  const { attempts } = await attempted(150);
  expect(attempts.map(({ number }) => number)).toEqual(Array.from({ length: 100 }, (_, index) => index + 51));
});

it('says that a delivery was finished when its last attempt ended', async () => {
  answer = { ...ok, milliseconds: 14_500 };
  await hooks.event(context);
  const { finishedOn, attempts } = await attempted(1);
  expect(attempts[0]).toMatchObject({ on: '2026-03-01T12:00:00.000Z', milliseconds: 14_500 });
  expect(finishedOn).toBe('2026-03-01T12:00:14.500Z');
});

it('prunes all attempts with their delivery', async () => {
  await hooks.event(context);
  await redeliver(await attempted(1));
  await attempted(2);
  // The ids of events contain the system clock's time, not the test clock's.
  clock.at = new Date(Date.now() + 31 * 86_400_000);
  await hooks.pruning.prune();
  expect(await hooks.sql('select from webhooks.deliveries where webhook_id = $1', [webhook])).toEqual([]);
  expect(await rows()).toEqual([]);
});

it('wipes what receivers answered when somebody of the tenant is erased', async () => {
  const other = await hooks.tenant();
  await hooks.hook(other);
  await hooks.event(other);
  const kept = () =>
    hooks.sql('select first_response from webhooks.deliveries where tenant_id = $1 and state = 1', [
      other.tenant.id,
    ]);
  await waitFor(async () => (await kept()).length === 1, { description: "the other tenant's delivery" });
  await hooks.event(context);
  const delivery = await attempted(1);
  answer = no;
  await redeliver(delivery);
  await attempted(2);
  answer = elsewhere;
  await redeliver(delivery);
  const answers = async () => (await attempted(3)).attempts.map(({ response, detail }) => response ?? detail);
  expect(await answers()).toEqual(['Thank you, Ada', 'Sorry, Ada', moved]);
  await erase();
  await waitFor(async () => (await answers()).every((text) => text === null), {
    description: 'the answers to be wiped',
  });
  expect((await attempted(3)).attempts[0]).toEqual({ ...first, response: null });
  expect(await kept()).toEqual([{ first_response: 'Thank you, Ada' }]);
});

it('an erasure does not hold up messages, however long it takes to wipe the answers', async () => {
  answer = no;
  await hooks.event(context);
  await attempted(1);
  const queued = () => hooks.sql('select from webhooks.deliveries where webhook_id = $1', [webhook]);
  const answers = () =>
    hooks.sql('select response from webhooks.attempts where webhook_id = $1 and number = 1', [webhook]);
  await hooks.store.writes.transaction(async (client) => {
    await client.query('lock table webhooks.attempts in share mode');
    await erase();
    await hooks.event(context);
    await waitFor(async () => (await queued()).length === 2, {
      description: 'the second message to be queued',
    });
    expect(await answers()).toEqual([{ response: 'Sorry, Ada' }]);
  });
  await waitFor(
    async () => (await answers()).some(({ response }: { response?: string | null }) => response === null),
    { description: 'the answer to be wiped' },
  );
});

it('wipes the answers to attempts that were under way at an erasure, and no others', async () => {
  await hooks.sql('insert into webhooks.erasures (tenant_id, at) values ($1, $2)', [
    context.tenant.id,
    clock.now(),
  ]);
  await hooks.event(context);
  const delivery = await attempted(1);
  for (const [index, each] of [no, elsewhere].entries()) {
    answer = each;
    await redeliver(delivery);
    await attempted(index + 2);
  }
  answer = no;
  clock.advance(121);
  await redeliver(delivery);
  await attempted(4);
  await hooks.answers.wipeOver();
  const { attempts } = await attempted(4);
  expect(attempts.map(({ response, detail }) => response ?? detail)).toEqual([
    null,
    null,
    null,
    'Sorry, Ada',
  ]);
});

it.each([
  ['an answer', no],
  ['the address of a redirect', elsewhere],
])('keeps nothing of %s that is written down long after its attempt began', async (_, late) => {
  let end: (outcome: Partial<Outcome>) => void = () => undefined;
  answer = new Promise((resolve) => {
    end = resolve;
  });
  await hooks.event(context);
  const asked = () => sender.to('https://hooks.example.com/in', context.tenant);
  await waitFor(() => asked().length === 1, { description: 'the attempt' });
  await erase();
  const noted = () => hooks.sql('select from webhooks.erasures where tenant_id = $1', [context.tenant.id]);
  await waitFor(async () => (await noted()).length === 1, { description: 'the erasure to be noted' });
  // As much time passes as for a worker that was frozen, or could not reach the database.
  clock.advance(180);
  await hooks.answers.wipeOver();
  expect(await noted()).toEqual([]);
  end(late);
  const { attempts } = await attempted(1);
  expect(attempts).toEqual([
    expect.objectContaining({ number: 1, status: late.status, response: null, detail: null }),
  ]);
});
