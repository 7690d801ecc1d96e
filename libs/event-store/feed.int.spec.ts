import { randomBytes } from 'node:crypto';
import { Client } from 'pg';
import { newId, toUuid } from '#kernel/ids';
import type { RequestContext } from '#platform/request-context';
import { contextFor, createContext, createTestStore, type TestStore } from '../../test/support/store';
import { waitFor } from '../../test/support/wait-for';
import { type AppendJob, locksOf } from './append/append-job';
import { APPEND_SQL, appendParameters } from './append/append-parameters';
import type { RecordedEvent } from './events';
import type { Cursor } from './feed';
import { comparePositions, type Position, START } from './position';
import { openParent } from './testing/commands';
import { endsOf, readFeed } from './testing/read-feed';
import { Parent, parentOpened } from './testing/streams';

/** A new stream of one event, as a command would append it. */
function newStream({ tenant }: RequestContext, name: string): AppendJob {
  const stream = toUuid(newId('client'));
  const { type, data } = parentOpened(name, null);
  return {
    tenantId: tenant.id,
    partition: tenant.partition,
    at: new Date(),
    metadata: JSON.stringify({ actor: 'test', correlationId: 'test', source: 'rest' }),
    streams: [{ stream, kind: Parent.kind, expected: 0, version: 1, stateVersion: 1, state: '{}' }],
    events: [
      { stream, version: 1, id: toUuid(newId('client')), type, schema: 1, data: JSON.stringify(data) },
    ],
    guards: [],
    sections: {},
  };
}

/** A connection whose appends stay uncommitted until the test ends the transaction. */
class Writer {
  private readonly client: Client;
  private open?: string;

  constructor(url: string) {
    this.client = new Client(url);
  }

  connect = () => this.client.connect();
  disconnect = () => this.client.end();

  async begin(context: RequestContext, name: string): Promise<void> {
    const job = newStream(context, name);
    await this.client.query('begin');
    await this.client.query(APPEND_SQL, appendParameters([job], [locksOf(job)], 'awaited'));
    this.open = name;
  }

  /** @returns the name of the open event, if any */
  async end(how: 'commit' | 'rollback'): Promise<string | undefined> {
    const { open } = this;
    this.open = undefined;
    await this.client.query(how);
    return open;
  }

  get isOpen(): boolean {
    return this.open !== undefined;
  }
}

const nameOf = ({ event }: RecordedEvent) => (event.data as { name: string }).name;

describe('the feed', () => {
  let store: TestStore;
  let writers: Writer[];
  beforeEach(async () => {
    store = await createTestStore([Parent]);
    writers = Array.from({ length: 6 }, () => new Writer(store.url));
    await Promise.all(writers.map((writer) => writer.connect()));
  });
  afterEach(async () => {
    await Promise.all(writers.map((writer) => writer.disconnect()));
    await store.close();
  });

  const everything = async (context: RequestContext) =>
    (await store.feed.page([{ partition: context.tenant.partition, after: START }], 1000)).events;

  it.each([
    ['commit', ['early', 'late']],
    ['rollback', ['late']],
  ] as const)('is held back by an open transaction until its %s', async (how, names) => {
    const context = await createContext(store);
    await writers[0].begin(context, 'early');
    await openParent(store.store, context, { name: 'late' });
    const { rowCount } = await store.writes.pool.query('select from event_store.events');
    // A reader that read the committed events now, and continued after them, would never see the early one.
    expect(rowCount).toBe(1);
    expect(await everything(context)).toEqual([]);

    await writers[0].end(how);
    let events: RecordedEvent[] = [];
    await waitFor(async () => (events = await everything(context)).length === names.length, {
      description: 'the feed to show the events',
    });
    expect(events.map(nameOf)).toEqual(names);
  });

  it('leaves out the data of the tenants for which it is not wanted, and nothing else', async () => {
    const contexts = await Promise.all([1, 2].map(() => createContext(store)));
    for (const [index, context] of contexts.entries())
      await openParent(store.store, context, { name: `parent ${index}` });
    const partitions = new Set(contexts.map(({ tenant }) => tenant.partition));
    const cursors = [...partitions].map((partition) => ({ partition, after: START }));
    const bare = contexts[1].tenant.id;
    let all: RecordedEvent[] = [];
    await waitFor(async () => (all = (await store.feed.page(cursors, 1000)).events).length === 2, {
      description: 'the feed to show both events',
    });
    const { events } = await store.feed.page(cursors, 1000, [bare]);
    expect(events).toEqual(
      all.map((recorded) =>
        recorded.tenantId === bare ? { ...recorded, event: { ...recorded.event, data: {} } } : recorded,
      ),
    );
  });

  it('has only a few long events in a page, at least one of each partition, and says that there are more', async () => {
    const contexts = await Promise.all(
      [4, 7].map(async (partition) => contextFor({ ...(await createContext(store)).tenant, partition })),
    );
    // Names of random letters, and of one repeated letter, which PostgreSQL stores compressed.
    const chance = Array.from({ length: 38 }, () => randomBytes(180_000).toString('base64'));
    const names = ['short', ...chance, ...Array(20).fill('x'.repeat(240_000)), 'last'];
    for (const context of contexts)
      for (const name of names) await openParent(store.store, context, { name });
    let pages = 0;
    let cursors = contexts.map(({ tenant: { partition } }) => ({ partition, after: START }));
    for (const [partition, upTo] of await endsOf(store)) await readFeed(store.feed, partition, upTo);
    const seen = new Map(cursors.map(({ partition }) => [partition, [] as string[]]));
    for (let more = true; more; ) {
      const page = await store.feed.page(cursors, 1000);
      more = page.more;
      pages++;
      for (const { partition } of cursors) {
        const own = page.events.filter((recorded) => recorded.partition === partition);
        const texts = own.map(({ event }) => (event.data as { name: string }).name);
        expect(texts.slice(0, -1).join('').length).toBeLessThan(24 * 1024 * 1024);
        expect(texts.length > 0 || !more).toBe(true);
        seen.get(partition)!.push(...texts);
      }
      cursors = cursors.map(({ partition, after }) => {
        const last = page.events.findLast((recorded) => recorded.partition === partition);
        return { partition, after: last?.at ?? after };
      });
    }
    expect([...seen.values()].map((texts) => texts.map(({ length }) => length))).toEqual(
      contexts.map(() => names.map(({ length }) => length)),
    );
    expect(pages).toBeGreaterThan(1);
    const { events, more } = await store.feed.page([{ ...cursors[0], after: START }], 1000, [
      contexts[0].tenant.id,
    ]);
    expect([events.length, more]).toEqual([names.length, false]);
  });

  it('shows a polling reader each event once and in order, however transactions overlap', async () => {
    const contexts = await Promise.all([1, 2, 3].map(() => createContext(store)));
    const committed: string[] = [];
    const end = async (writer: Writer, how: 'commit' | 'rollback') => {
      const name = await writer.end(how);
      if (name && how === 'commit') committed.push(name);
    };
    let writing = true;
    const seen: RecordedEvent[] = [];
    const cursors = new Map<number, Cursor>();
    for (const partition of await store.feed.partitions())
      cursors.set(partition, { partition, after: START });
    const reading = waitFor(
      async () => {
        const events = (await store.feed.page([...cursors.values()], 7)).events;
        for (const { partition, at } of events) cursors.set(partition, { partition, after: at });
        seen.push(...events);
        return !writing && seen.length >= committed.length;
      },
      { description: 'the reader to see every event' },
    );

    let count = 0;
    for (let step = 0; step < 200; step++) {
      // The first writer's transactions are short; the last one's overlap with many of the others.
      for (const writer of writers.filter((_, number) => step % (number + 1) === 0)) {
        if (writer.isOpen) await end(writer, count % 5 === 0 ? 'rollback' : 'commit');
        else await writer.begin(contexts[count % 3], `event ${++count}`);
      }
    }
    for (const writer of writers) await end(writer, 'commit');
    writing = false;
    await reading;

    expect(committed.length).toBeGreaterThan(150);
    expect(committed.length).toBeLessThan(count);
    expect(seen.map(nameOf).sort()).toEqual(committed.sort());
    const last = new Map<number, Position>();
    for (const { partition, at } of seen) {
      expect(comparePositions(at, last.get(partition) ?? START)).toBeGreaterThan(0);
      last.set(partition, at);
    }
  });
});
