import { Logger } from '@nestjs/common';
import type { RecordedEvent } from '#event-store/events';
import { START } from '#event-store/position';
import { AppendSignal } from '#event-store/signal';
import { openParent } from '#event-store/testing/commands';
import { Parent } from '#event-store/testing/streams';
import { toUuid } from '#kernel/ids';
import { Health } from '#platform/observability/health';
import type { RequestContext } from '#platform/request-context';
import { SilentRoute } from '../../test/support/silent-route';
import { createContext, createTestStore, openStore, type TestStore } from '../../test/support/store';
import { waitFor } from '../../test/support/wait-for';
import type { Subscription } from './event-bus';
import { StoreEventBus } from './store-event-bus';
import { StoreSource } from './store-source';
import { Door } from './testing/door';
import { Ledger } from './testing/ledger';

const PARTITIONS = 12;
const LOCKS = `practice audit locks ${process.pid}`;

describe('the event bus over the store', () => {
  let store: TestStore;
  let contexts: RequestContext[];
  let bus: StoreEventBus;
  let ledger: Ledger;
  let door: Door;
  let errors: jest.SpyInstance;

  beforeEach(async () => {
    store = await createTestStore([Parent]);
    contexts = await Promise.all([1, 2, 3].map(() => createContext(store)));
    bus = new StoreEventBus(store.config, store.feed, new Health());
    ledger = new Ledger('audit');
    door = new Door();
    errors = jest.spyOn(Logger.prototype, 'error').mockImplementation();
    jest.spyOn(Logger.prototype, 'log').mockImplementation();
  });
  afterEach(async () => {
    door.open();
    await bus.onApplicationShutdown();
    await store.close();
    jest.restoreAllMocks();
  });

  /** Writes events, in several tenants, with numbers as names. */
  async function write(from: number, to: number): Promise<string[]> {
    const names = Array.from({ length: to - from }, (_, index) => String(from + index));
    await Promise.all(
      names.map((name, index) => openParent(store.store, contexts[index % contexts.length], { name })),
    );
    return names;
  }
  const received = (count: number) =>
    waitFor(() => ledger.received.length >= count, { description: `${count} events` });
  const owning = (subscription: Subscription) =>
    waitFor(() => subscription.partitions().length === PARTITIONS, { description: 'all partitions' });

  async function sessions(application: string): Promise<{ pid: number; query_start: Date }[]> {
    const { rows } = await store.writes.pool.query(
      `select pid, query_start from pg_stat_activity where datname = current_database() and application_name = $1`,
      [application],
    );
    return rows;
  }
  async function terminate(application: string): Promise<void> {
    let found: { pid: number }[] = [];
    await waitFor(async () => (found = await sessions(application)).length > 0, {
      description: `a session of ${application}`,
    });
    await store.writes.pool.query('select pg_terminate_backend($1)', [found[0].pid]);
  }

  it('gives the partitions to one subscriber of a name, and to the other when the first stops', async () => {
    const first = bus.subscribe(ledger.subscriber('first'));
    await owning(first);
    const second = bus.subscribe(ledger.subscriber('second'));
    const other = bus.subscribe(new Ledger('other name').subscriber('other'));
    await owning(other);
    await write(0, 50);
    await received(50);
    expect(second.partitions()).toEqual([]);

    await first.stop();
    expect(first.partitions()).toEqual([]);
    await owning(second);
    await write(50, 100);
    await received(100);
    expect(ledger.received.map(({ by }) => by)).toEqual([
      ...Array(50).fill('first'),
      ...Array(50).fill('second'),
    ]);
    expect(new Set(ledger.names).size).toBe(100);

    await Promise.all([second.stop(), other.stop()]);
    const { rows } = await store.writes.pool.query(
      `select from pg_locks where locktype = 'advisory'
       and database = (select oid from pg_database where datname = current_database())`,
    );
    expect(rows).toEqual([]);
  });

  it('lets another subscriber take over when the session of the first ends, even in the middle of a batch', async () => {
    const first = bus.subscribe(ledger.subscriber('first', door.pass));
    await owning(first);
    const names = await write(0, 100);
    await waitFor(() => door.reached, { description: 'the first to have a batch in hand' });
    await terminate(LOCKS);
    await waitFor(() => first.partitions().length === 0, {
      description: 'the first to notice the end of its session',
    });

    const second = bus.subscribe(ledger.subscriber('second'));
    await received(100);
    door.open();
    await owning(second);
    names.push(...(await write(100, 150)));
    await received(150);
    expect(ledger.names).toEqual(names.sort());
    expect(new Set(ledger.received.map(({ by }) => by))).toEqual(new Set(['second']));
    expect(errors).not.toHaveBeenCalled();
  });

  it('loses no event and gives no partition to two subscribers while sessions keep ending', async () => {
    const subscriptions = ['first', 'second'].map((by) => bus.subscribe(ledger.subscriber(by)));
    const names: string[] = [];
    for (let round = 0; round < 5; round++) {
      let owned: number[] = [];
      await waitFor(() => (owned = subscriptions.flatMap((one) => one.partitions())).length === PARTITIONS, {
        description: 'every partition to have an owner',
      });
      expect(new Set(owned).size).toBe(PARTITIONS);
      const writing = write(round * 40, round * 40 + 40);
      await terminate(LOCKS);
      names.push(...(await writing));
    }
    await received(200);
    expect(ledger.names).toEqual(names.sort());
  });

  it('sees an event at its next poll when the signal is lost, or the connection of the signals', async () => {
    const subscription = bus.subscribe(ledger.subscriber('only'));
    await owning(subscription);
    const signal = jest.spyOn(AppendSignal.prototype, 'appended').mockImplementation();
    await write(0, 1);
    await received(1);
    signal.mockRestore();

    const [{ pid }] = await sessions('practice listener');
    await terminate('practice listener');
    await write(1, 2);
    await received(2);
    await waitFor(async () => (await sessions('practice listener')).some((session) => session.pid !== pid), {
      description: 'a new listener',
    });
    expect(errors).not.toHaveBeenCalled();
  });

  it('knows that an open transaction holds events back, and whose it is', async () => {
    const page = store.feed.page.bind(store.feed);
    const calls = { wake: () => undefined, lost: () => undefined };
    const source = new StoreSource(store.config.databaseUrl, 'held', store.feed, page, calls);
    const cursors = (await store.feed.partitions()).map((partition) => ({ partition, after: START }));
    expect(await source.isHeldBack(cursors)).toBe(false);

    await store.writes.transaction(async (client) => {
      await client.query('select pg_current_xact_id()');
      await write(0, 1);
      expect(await source.read(cursors, 10)).toMatchObject({ events: [] });
      expect(await source.isHeldBack(cursors)).toBe(true);
      expect(await source.holder()).toMatch(/^pid \d+, user \w+, database \w+, application /);
    });
    await waitFor(async () => (await source.read(cursors, 10)).events.length === 1, {
      description: 'the event to be free', // other tests write to the same server
    });
  });

  it('hands the same events over again when the subscriber fails', async () => {
    const attempts: string[][] = [];
    const failing = async (events: RecordedEvent[]) => {
      attempts.push(events.map(({ eventId }) => eventId));
      if (attempts.length <= 2) throw new Error('disk full');
    };
    await write(0, 20);
    await waitFor(
      async () => {
        const cursors = (await store.feed.partitions()).map((partition) => ({ partition, after: START }));
        return (await store.feed.page(cursors, 100)).events.length === 20;
      },
      { description: 'the feed to show 20 events' },
    );
    bus.subscribe(ledger.subscriber('only', failing));
    await received(20);
    expect(attempts).toHaveLength(3);
    expect(attempts[1]).toEqual(attempts[0]);
    expect(attempts[2]).toEqual(attempts[0]);
    expect(ledger.names).toHaveLength(20);
    expect(errors.mock.calls.map(([message]) => message)).toEqual(['audit: disk full']);
  });

  it('finishes the batch in hand before it stops', async () => {
    const subscription = bus.subscribe(ledger.subscriber('only', door.pass));
    await write(0, 1);
    await waitFor(() => door.reached, { description: 'a batch in hand' });
    const stopped = subscription.stop();
    expect(subscription.partitions()).toHaveLength(PARTITIONS);
    door.open();
    await stopped;
    expect(ledger.names).toEqual(['0']);
  });

  it('stops at a gap in the versions of a stream, and lets nobody go on behind it', async () => {
    bus.subscribe(ledger.subscriber('first'));
    const { record } = await openParent(store.store, contexts[0], { name: 'one' });
    await received(1);
    await store.writes.pool.query(
      `insert into event_store.events (tenant_id, stream_id, version, epoch, partition, event_id, type,
         schema_version, data, metadata, recorded_at)
       select tenant_id, stream_id, 3, epoch, partition, gen_random_uuid(), type, schema_version, data, metadata,
         recorded_at from event_store.events where stream_id = $1`,
      [toUuid(record.id)],
    );
    await waitFor(() => errors.mock.calls.length > 0, { description: 'the gap to be found' });
    expect(errors.mock.calls[0][0]).toMatch(/^audit: The feed is out of order .* came after version 1/);

    const second = bus.subscribe(ledger.subscriber('second'));
    const asked = new Set<string>();
    await waitFor(
      async () => {
        for (const { query_start } of await sessions(LOCKS)) asked.add(String(query_start));
        return asked.size > 5;
      },
      { description: 'the second to ask for partitions again and again' },
    );
    expect(second.partitions()).toEqual([]);
    expect(ledger.names).toEqual(['one']);
    expect(errors).toHaveBeenCalledTimes(1);
  });

  it('takes a partition that is released even when the clock was set back', async () => {
    const other = await store.writes.pool.connect();
    try {
      await other.query("select pg_advisory_lock(hashtext('partitions of audit'), 0)");
      const subscription = bus.subscribe(ledger.subscriber('first'));
      await waitFor(() => subscription.partitions().length === PARTITIONS - 1, {
        description: 'all other partitions',
      });
      const now = Date.now;
      jest.spyOn(Date, 'now').mockImplementation(() => now() - 3_600_000);
      await other.query('select pg_advisory_unlock_all()');
      await owning(subscription);
    } finally {
      other.release(true);
    }
  });

  it('goes on over new connections when its present ones fall silent', async () => {
    const route = await SilentRoute.to(store.url);
    const far = openStore(route.url, [Parent]);
    const overRoute = new StoreEventBus(far.config, far.feed, new Health());
    try {
      const subscription = overRoute.subscribe(ledger.subscriber('far'));
      await owning(subscription);
      await write(0, 10);
      await received(10);
      const warnings = jest.spyOn(Logger.prototype, 'warn').mockImplementation();
      route.fallSilent();
      await write(10, 20);
      await waitFor(() => warnings.mock.calls.length > 0, { description: 'the silence to be noticed' });
      route.speak();
      await received(20);
      expect(ledger.names).toEqual([...Array(20).keys()].map(String).sort());
    } finally {
      await overRoute.onApplicationShutdown();
      await far.close();
      await route.close();
    }
  });
});
