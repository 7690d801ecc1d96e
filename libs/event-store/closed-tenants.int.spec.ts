import { setTimeout as delay } from 'node:timers/promises';
import type { ClientBase } from 'pg';
import type { RequestContext } from '#platform/request-context';
import { createContext, createTestStore, openStore, type TestStore } from '../../test/support/store';
import { waitFor } from '../../test/support/wait-for';
import { BulkAppender } from './append/append-bulk';
import { ClosedTenants } from './closed-tenants';
import { at } from './load';
import { openParent, renameParent } from './testing/commands';
import { Child, Parent, parentOpened, parentRenamed } from './testing/streams';

/** Advisory lock that the test holds to stop an append after its verdict and before its commit. */
const GATE = 424_242;
const REASON = 'promotion_in_progress';
const named = (statement: unknown) => (statement as { name?: string }).name;
const refusal = { fault: 'unavailable', code: REASON, headers: { 'Retry-After': '30' } };

describe('a closed tenant', () => {
  let store: TestStore;
  let other: ReturnType<typeof openStore>;
  let closed: ClosedTenants;
  let context: RequestContext;
  let neighbour: RequestContext;
  beforeAll(async () => {
    store = await createTestStore([Parent, Child]);
    other = openStore(store.url, [Parent, Child]);
    closed = new ClosedTenants(store.writes);
  });
  beforeEach(async () => {
    context = await createContext(store);
    neighbour = await createContext(store);
  });
  afterAll(async () => {
    await other.close();
    await store.close();
  });

  const eventsOf = async ({ tenant }: RequestContext): Promise<number> => {
    const { rows } = await store.writes.pool.query<{ count: number }>(
      'select count(*)::int as count from event_store.events where tenant_id = $1',
      [tenant.id],
    );
    return rows[0].count;
  };

  /** Starts a writer that continues until it is told to stop. */
  function write({ store: writer }: Pick<TestStore, 'store'>, to: RequestContext, isOver: () => boolean) {
    const seen = { acknowledged: 0, refused: 0, others: [] as unknown[] };
    const run = async () => {
      while (!isOver()) {
        await openParent(writer, to).then(
          () => seen.acknowledged++,
          (error) => (error.code === REASON ? seen.refused++ : seen.others.push(error)),
        );
      }
    };
    return Object.assign(seen, { ended: run() });
  }

  it('is opened even when the check whether it may be opened takes longer than a transaction may stand still', async () => {
    const { id } = context.tenant;
    await closed.close(id, REASON);
    const isOver = async (client: ClientBase) => {
      // Long enough for this process to send its queries in time even on a busy machine.
      await client.query(`set local idle_in_transaction_session_timeout = '2s'`);
      await delay(3_000);
      return true;
    };
    await closed.openIf(id, isOver, 50);
    expect(await closed.isClosed(id)).toBe(false);
  });

  it('gets no more events once closing has returned; other tenants go on, and so does it once it is opened', async () => {
    let over = false;
    const writers = Array.from({ length: 12 }, (_, index) =>
      write(index % 2 ? store : other, context, () => over),
    );
    const neighbours = [store, other].map((each) => write(each, neighbour, () => over));
    const sum = (of: { acknowledged: number; refused: number }[], what: 'acknowledged' | 'refused') =>
      of.reduce((total, each) => total + each[what], 0);
    const goOn = (of: typeof writers, what: 'acknowledged' | 'refused', description: string) => {
      const before = sum(of, what);
      return waitFor(() => sum(of, what) >= before + 50, { description });
    };
    try {
      for (let round = 0; round < 5; round++) {
        await goOn(writers, 'acknowledged', 'writes');
        await closed.close(context.tenant.id, REASON);
        const atClose = await eventsOf(context);
        expect(await closed.isClosed(context.tenant.id)).toBe(true);
        expect(await closed.isClosed(neighbour.tenant.id)).toBe(false);
        await Promise.all([
          goOn(writers, 'refused', 'refusals'),
          goOn(neighbours, 'acknowledged', "others' writes"),
        ]);
        expect(await eventsOf(context)).toBe(atClose);
        await closed.open(context.tenant.id);
        expect(await closed.isClosed(context.tenant.id)).toBe(false);
      }
      await goOn(writers, 'acknowledged', 'writes once it is open');
    } finally {
      over = true;
      await Promise.all([...writers, ...neighbours].map(({ ended }) => ended));
    }
    expect([...writers, ...neighbours].flatMap(({ others }) => others)).toEqual([]);
    expect(await eventsOf(context)).toBe(sum(writers, 'acknowledged'));
    expect(await eventsOf(neighbour)).toBe(sum(neighbours, 'acknowledged'));
    expect(sum(neighbours, 'refused')).toBe(0);
  });

  it('refuses the append of a command that was decided before, and nothing else of the batch', async () => {
    const { record } = await openParent(store.store, context);
    const late = store.store.execute(context, async (work) => {
      const { parent } = await work.load({ parent: at(Parent, record.id) });
      await closed.close(context.tenant.id, REASON);
      return work.change(Parent, parent!, [parentRenamed('late')]);
    });
    await expect(late).rejects.toMatchObject(refusal);

    const query = jest.spyOn(store.writes.pool, 'query');
    const outcomes = await Promise.allSettled(
      [context, neighbour, context, neighbour].map((each) => openParent(store.store, each)),
    );
    const batches = query.mock.calls.filter(([statement]) => named(statement) === 'event_store.append');
    query.mockRestore();
    expect(batches).toHaveLength(1);
    expect(outcomes.map(({ status }) => status)).toEqual(['rejected', 'fulfilled', 'rejected', 'fulfilled']);
    expect(outcomes).toMatchObject([{ reason: refusal }, {}, { reason: refusal }, {}]);
    expect([await eventsOf(context), await eventsOf(neighbour)]).toEqual([1, 2]);
  });

  it('refuses a command before anything is decided, and a repeat too', async () => {
    const { record } = await openParent(store.store, context);
    const keyed = { ...context, idempotency: { key: 'once', hash: Buffer.from('same') } };
    await renameParent(store.store, keyed, record.id, 'first');
    await closed.close(context.tenant.id, REASON);
    const decide = jest.fn();
    const attempt = store.store.execute(context, async (work) => {
      const { parent } = await work.load({ parent: at(Parent, record.id) });
      decide();
      return work.change(Parent, parent!, [parentRenamed('never')]);
    });
    await expect(attempt).rejects.toMatchObject(refusal);
    expect(decide).not.toHaveBeenCalled();
    await expect(renameParent(store.store, keyed, record.id, 'first')).rejects.toMatchObject(refusal);
    await closed.open(context.tenant.id);
    const again = await renameParent(store.store, keyed, record.id, 'first');
    expect(again).toMatchObject({ replayed: true, record: { version: 2 } });
  });

  it('is closed when the transaction that closes it commits: a command waits for its end', async () => {
    const outcomes: boolean[] = [];
    for (const end of ['rollback', 'commit']) {
      const client = await other.writes.pool.connect();
      await client.query('begin');
      await closed.close(context.tenant.id, REASON, client);
      const appended = openParent(store.store, context).then(
        () => true,
        (error) => {
          expect(error).toMatchObject(refusal);
          return false;
        },
      );
      await waiting(1);
      await client.query(end);
      client.release();
      outcomes.push(await appended);
    }
    expect(outcomes).toEqual([true, false]);
  });

  it('is closed only once an append that was already accepted has been committed', async () => {
    await store.writes.pool.query(
      `create function wait_at_gate() returns trigger language plpgsql as $$
       begin perform pg_advisory_xact_lock_shared(${GATE}); return new; end $$;
       create trigger gate before insert on event_store.events for each row execute function wait_at_gate()`,
    );
    const gate = await other.writes.pool.connect();
    await gate.query('select pg_advisory_lock($1)', [GATE]);
    const appended = openParent(store.store, context);
    await waiting(1);
    const closing = closed.close(context.tenant.id, REASON).then(() => eventsOf(context));
    await waiting(2);
    expect([await closed.isClosed(context.tenant.id), await eventsOf(context)]).toEqual([false, 0]);
    await gate.query('select pg_advisory_unlock($1)', [GATE]);
    gate.release();
    await appended;
    expect([await closing, await closed.isClosed(context.tenant.id)]).toEqual([1, true]);
    await store.writes.pool.query('drop trigger gate on event_store.events');
  });

  it('can be written in bulk, and may be closed or opened twice', async () => {
    await closed.close(context.tenant.id, REASON);
    await closed.close(context.tenant.id, REASON);
    await expect(closed.requireOpen(context.tenant.id)).rejects.toMatchObject(refusal);
    const { writes, codec, keys } = store;
    const signal = { appended: () => undefined };
    const bulk = new BulkAppender(writes, codec, keys, signal as never, { now: () => new Date() });
    const id = 'client_0198c2f1a4b87c3d9e5f60718293a4b5' as const;
    await bulk.append(context, [{ definition: Parent, id, events: [parentOpened()] }], 'import');
    expect(await eventsOf(context)).toBe(1);
    await closed.open(context.tenant.id);
    await closed.open(context.tenant.id);
    await closed.requireOpen(context.tenant.id);
    expect((await renameParent(store.store, context, id, 'later')).record.version).toBe(2);
  });

  /** Waits until the given number of sessions wait for an advisory lock. */
  async function waiting(sessions: number): Promise<void> {
    const found = `select from pg_locks l join pg_database d on d.oid = l.database
      where d.datname = current_database() and l.locktype = 'advisory' and not l.granted`;
    await waitFor(async () => (await store.writes.pool.query(found)).rowCount === sessions, {
      description: `${sessions} sessions to wait for a lock`,
    });
  }
});
