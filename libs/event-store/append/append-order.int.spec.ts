import { Client } from 'pg';
import { newId, toUuid } from '#kernel/ids';
import type { RequestContext } from '#platform/request-context';
import { createContext, createTestStore, openStore, type TestStore } from '../../../test/support/store';
import { waitFor } from '../../../test/support/wait-for';
import { Contiguity, FeedOutOfOrder } from '../feed/contiguity';
import { comparePositions } from '../position';
import { closeParent, openChild, openParent, renameParent } from '../testing/commands';
import { endsOf, readFeed } from '../testing/read-feed';
import { Child, Parent } from '../testing/streams';

const LOCKS = /perform case[^;]*pg_advisory_xact_lock[^;]*;/;
const FIRST_TO_WRITE = /if pg_current_xact_id_if_assigned\(\)[\s\S]*?end if;/;
/** Advisory lock that the test holds to stop an append after its verdict and before its commit. */
const GATE = 424_242;

/** Replaces the append function of a store's database by a copy without the matching part. */
async function strip(store: TestStore, part: RegExp): Promise<void> {
  const { rows } = await store.writes.pool.query<{ source: string }>(
    `select pg_get_functiondef('event_store.append'::regproc) as source`,
  );
  expect(rows[0].source).toMatch(part);
  await store.writes.pool.query(rows[0].source.replace(part, ''));
}

async function feedOf(store: TestStore, { tenant }: RequestContext) {
  return readFeed(store.feed, tenant.partition, (await endsOf(store)).get(tenant.partition)!);
}

describe('why an append takes locks', () => {
  let store: TestStore;
  let other: ReturnType<typeof openStore>;
  let gate: Client;
  let context: RequestContext;

  beforeEach(async () => {
    store = await createTestStore([Parent, Child]);
    other = openStore(store.url, [Parent, Child]);
    context = await createContext(store);
    await store.writes.pool.query(
      `create function wait_at_gate() returns trigger language plpgsql as $$
       begin perform pg_advisory_xact_lock_shared(${GATE}); return new; end $$;
       create trigger gate before insert on event_store.events for each row
       when (new.type = 'ChildOpened') execute function wait_at_gate()`,
    );
    gate = new Client(store.url);
    await gate.connect();
    await gate.query('select pg_advisory_lock($1)', [GATE]);
  });
  afterEach(async () => {
    await gate.end();
    await other.close();
    await store.close();
  });

  /** Number of sessions that wait for an advisory lock. */
  async function waiting(): Promise<number> {
    const { rows } = await gate.query<{ count: number }>(
      `select count(*)::int as count from pg_locks where locktype = 'advisory' and not granted
         and database = (select oid from pg_database where datname = current_database())`,
    );
    return rows[0].count;
  }

  /**
   * A child is being opened: its append has found the parent active, has a transaction id, and is stopped before it
   * commits. Meanwhile another process closes the parent.
   */
  async function closeWhileOpening() {
    const { record } = await openParent(store.store, context);
    const opening = openChild(store.store, context, record.id as `client_${string}`);
    await waitFor(async () => (await waiting()) === 1, { description: 'the child to reach the gate' });
    let settled = false;
    const closing = closeParent(other.store, context, record.id).finally(() => (settled = true));
    const closed = Promise.allSettled([closing]);
    const meanwhile = await waitFor(
      async () => ((await waiting()) === 2 && 'it waits') || (settled && 'it is closed'),
      { description: 'the closing to wait or to be done' },
    );
    await gate.query('select pg_advisory_unlock($1)', [GATE]);
    const [child] = await Promise.allSettled([opening]);
    return { meanwhile, child: child.status, closed: (await closed)[0] };
  }

  it('a child is never opened under a parent that is closed meanwhile', async () => {
    const { meanwhile, child, closed } = await closeWhileOpening();
    expect(meanwhile).toBe('it waits');
    expect(child).toBe('fulfilled');
    expect(closed).toMatchObject({ status: 'rejected', reason: { code: 'open_children' } });
  });

  it('without the lock statement a child is opened under a parent that is closed meanwhile', async () => {
    await strip(store, LOCKS);
    const { meanwhile, child, closed } = await closeWhileOpening();
    expect(meanwhile).toBe('it is closed');
    expect([child, closed.status]).toEqual(['fulfilled', 'fulfilled']);
  });

  /** Appends a new version in a transaction that had written something else before others appended theirs. */
  async function appendLate(id: string) {
    const late = new Client(store.url);
    await late.connect();
    try {
      await late.query('begin');
      await late.query(`insert into event_store.counters values (0, 'something else', 1)`);
      await renameParent(other.store, context, id as `client_${string}`, 'second');
      const stream = toUuid(id);
      const { rows } = await late.query<{ data: string }>(
        'select data::text from event_store.events where stream_id = $1 and version = 2',
        [stream],
      );
      await late.query(
        `select * from event_store.append(
          '{}', '{}', $1, $2, $3, '{1}', $4, '{client}', '{2}', '{3}', '{1}', '{}',
          '{1}', $4, '{3}', $5, '{ParentRenamed}', '{1}', $6, '{"actor":"x","correlationId":"y","source":"rest"}',
          '{}', '{}', '{}', null, null, null, null, null, null, null, null)`,
        [
          [context.tenant.id],
          [context.tenant.partition],
          [new Date()],
          [stream],
          [toUuid(newId('client'))],
          rows[0].data,
        ],
      );
      await late.query('commit');
    } finally {
      await late.end();
    }
  }

  it('a transaction that has written before cannot append: its id is older than its locks', async () => {
    const { record } = await openParent(store.store, context);
    await expect(appendLate(record.id)).rejects.toThrow('must be the first to write in its transaction');
    expect((await feedOf(store, context)).map(({ version }) => version)).toEqual([1, 2]);
  });

  it('if such a transaction could append, versions would come as 1, 3, 2, and a reader would stop there', async () => {
    await strip(store, FIRST_TO_WRITE);
    const { record } = await openParent(store.store, context);
    await appendLate(record.id);
    const events = await feedOf(store, context);
    expect(events.map(({ version }) => version)).toEqual([1, 3, 2]);
    expect(comparePositions(events[1].at, events[2].at)).toBeLessThan(0);
    expect(() => new Contiguity().check(events)).toThrow(FeedOutOfOrder);
  });
});
