import type { UnitOfWork } from '#event-store/unit-of-work';
import { SystemClock } from '#kernel/clock';
import { newId } from '#kernel/ids';
import type { RequestContext } from '#platform/request-context';
import { Role } from '#practice/roles/role';
import { waitFor } from '../../../test/support/wait-for';
import { openWebhooks, type Webhooks } from '../testing/webhook-parts';
import { EventsQuery, type EventView, ListEvents, ListEventsHandler } from './event-feed';

interface Page {
  rows: EventView[];
  after: string;
  hasMore: boolean;
}

const clock = new SystemClock();
let hooks: Webhooks;
let context: RequestContext;

beforeAll(async () => {
  hooks = await openWebhooks(clock);
});
beforeEach(async () => {
  context = await hooks.tenant();
});
afterAll(() => hooks.close());

async function ask(query: EventsQuery, by = context): Promise<Page> {
  const handler = new ListEventsHandler(hooks.store.writes, hooks.feed, clock);
  return ((await handler.execute(new ListEvents(by, query))).body as { data: Page }).data;
}

/** Creates roles in one transaction, from that source. */
function roles(count: number, source: string) {
  const create = (work: UnitOfWork) => {
    const id = newId('role');
    const data = { name: id, kind: 'Custom', externalReference: null, referenceOwner: null };
    return work.create(Role, id, [{ type: 'RoleCreated', data }]);
  };
  return hooks.store.store.execute(
    context,
    async (work) => Array.from({ length: count }, () => create(work))[0],
    { source },
  );
}

/** The first page that has rows, read until the feed shows the latest events. */
async function firstPage(query: EventsQuery, by = context): Promise<Page> {
  let page: Page | undefined;
  await waitFor(
    async () => {
      page = await ask(query, by);
      return page.rows.length > 0;
    },
    { description: 'the feed to show an event' },
  );
  return page!;
}

it('polling gives the events of the tenant page by page, and none of another', async () => {
  const { record } = await hooks.event(context, 'One');
  await hooks.event(context, 'Two');
  const first = await firstPage({ pageSize: 1 });
  const second = await firstPage({ pageSize: 1, after: first.after });
  expect([...first.rows, ...second.rows].map(({ type }) => type)).toEqual([
    'division.created',
    'division.created',
  ]);
  expect(first.rows[0].data.id).toBe(record.id);
  expect((await ask({ after: second.after })).rows).toEqual([]);
  const other = await hooks.tenant();
  expect((await ask({}, other)).rows).toEqual([]);
});

it('one request passes over events that nobody is told of and events that the caller may not read', async () => {
  await roles(60, 'import');
  await roles(60, 'rest');
  const { record } = await hooks.event(context);
  const narrow = { ...context, permissions: new Set(['webhooks:read', 'divisions:read']) };
  const page = await firstPage({ pageSize: 1 }, narrow);
  expect(page.rows.map(({ data }) => data.id)).toEqual([record.id]);
  expect(await ask({ pageSize: 1, after: page.after }, narrow)).toMatchObject({ rows: [], hasMore: false });
  const all = await firstPage({ pageSize: 200 });
  expect(all.rows.map(({ type }) => type)).toEqual([...Array(60).fill('role.created'), 'division.created']);
});

it('one request looks beyond more events than are read at a time', async () => {
  for (let part = 0; part < 11; part += 1) await roles(1_000, 'import');
  const { record } = await hooks.event(context);
  const { rows } = await firstPage({ pageSize: 1 });
  expect(rows.map(({ data }) => data.id)).toEqual([record.id]);
});

it('polling gives all events even when events of long ago, as demo data has them, came later', async () => {
  const isMarked = async () => {
    const rows = await hooks.sql(
      `select from event_store.events e where e.partition = $1 and not exists (
         select from webhooks.checkpoints c where c.partition = $1 and c.position >= e.position)`,
      [context.tenant.partition],
    );
    return rows.length === 0;
  };
  const fannedOut = () => waitFor(isMarked, { description: 'the fan-out to come past all events' });
  const { record } = await hooks.event(context);
  hooks.fanOut.start();
  await fannedOut();
  await hooks.fanOut.onApplicationShutdown();
  const longAgo = new Date(clock.now().getTime() - 40 * 86_400_000);
  const now = jest.spyOn(clock, 'now').mockReturnValue(longAgo);
  await roles(1, 'demo');
  now.mockRestore();
  hooks.fanOut.start();
  await fannedOut();
  const { rows } = await ask({});
  expect(rows.map(({ data }) => data.id)).toEqual([record.id]);
});
