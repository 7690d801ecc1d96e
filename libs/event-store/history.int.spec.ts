import { SystemClock } from '#kernel/clock';
import { newId, toUuid } from '#kernel/ids';
import type { RequestContext } from '#platform/request-context';
import { createContext, createTestStore, type TestStore } from '../../test/support/store';
import { BulkAppender, type NewStream } from './append/append-bulk';
import type { RecordedEvent } from './events';
import { History } from './history';
import { END } from './position';
import { AppendSignal } from './signal';
import { Parent, parentOpened, parentRenamed } from './testing/streams';

describe('the history of a tenant', () => {
  let store: TestStore;
  let context: RequestContext;
  let signal: AppendSignal;

  beforeAll(async () => {
    store = await createTestStore([Parent]);
    signal = new AppendSignal(store.writes);
  });
  beforeEach(async () => {
    context = await createContext(store);
  });
  afterAll(async () => {
    signal.onApplicationShutdown();
    await store.close();
  });

  /** Appends streams with names of the given lengths, each renamed. Returns their ids. */
  async function append(lengths: readonly number[], renamed = (_stream: number) => 1): Promise<string[]> {
    const streams = lengths.map(
      (length, stream): NewStream => ({
        definition: Parent,
        id: newId('client'),
        events: [parentOpened('x'.repeat(length)), ...Array(renamed(stream)).fill(parentRenamed('y'))],
      }),
    );
    await new BulkAppender(store.writes, store.codec, store.keys, signal, new SystemClock()).append(
      context,
      streams,
      'test',
    );
    return streams.map(({ id }) => toUuid(id));
  }

  /** Reads the history batch by batch. */
  async function read(
    types = Object.keys(Parent.events),
    within: { after?: string; asOf?: Date } = {},
  ): Promise<RecordedEvent[][][]> {
    const client = await store.writes.session();
    const batches: RecordedEvent[][][] = [];
    try {
      const range = { tenantId: context.tenant.id, types, upTo: END, ...within };
      for await (const streams of new History(store.codec).streams(client, range)) batches.push(streams);
    } finally {
      await client.end();
    }
    return batches;
  }
  const ids = (batches: RecordedEvent[][][]) => batches.flat().map(([{ streamId }]) => streamId);
  const textOf = (streams: RecordedEvent[][]) =>
    JSON.stringify(streams.map((events) => events.map(({ event }) => event))).length;

  it('reads each stream once and whole, in the order of their ids', async () => {
    const expected = await append(Array.from({ length: 3_500 }, (_, index) => index % 50));
    await append([1, 2, 3]);
    const batches = await read();
    expect(ids(batches).slice(0, 3_500)).toEqual(expected.sort());
    expect(ids(batches)).toHaveLength(3_503);
    expect(batches.flat().every((events) => events.map(({ version }) => version).join() === '1,2')).toBe(
      true,
    );
    expect(Math.max(...batches.map(({ length }) => length))).toBe(1_000);
  });

  it('reads a limited amount of text at once, wherever the large streams are', async () => {
    const lengths = [...Array(1_200).fill(10), ...Array(60).fill(200_000), ...Array(900).fill(10)];
    const expected = await append(lengths);
    const batches = await read();
    expect(ids(batches)).toEqual(expected);
    for (const streams of batches) expect(textOf(streams)).toBeLessThan(5 * 1024 * 1024);
    expect(batches.length).toBeLessThan(30);
  });

  it('reads streams of many events in parts', async () => {
    const renames: Record<number, number> = { 0: 100, 3: 31, 4: 32, 5: 63, 9: 64 };
    const expected = await append(Array(10).fill(1), (stream) => renames[stream] ?? 1);
    const batches = await read();
    expect([...new Set(ids(batches))]).toEqual(expected);
    const parts = batches.flat();
    expect(parts.filter(({ length }) => length > 32)).toEqual([]);
    for (const [stream, id] of expected.entries()) {
      const events = parts.filter(([{ streamId }]) => streamId === id).flat();
      expect(events.map(({ version }) => version)).toEqual(
        Array.from({ length: 1 + (renames[stream] ?? 1) }, (_, index) => index + 1),
      );
    }
    expect([...new Set(ids(await read(undefined, { after: expected[4] })))]).toEqual(expected.slice(5));
    expect(ids(await read(['ParentOpened']))).toEqual(expected);
    await store.writes.pool.query(
      `update event_store.events set recorded_at = '2024-01-01' where stream_id = $1 and version <= 40`,
      [expected[9]],
    );
    const before = (await read(undefined, { asOf: new Date('2024-01-02') })).flat(2);
    expect(before.map(({ streamId, version }) => `${streamId} ${version}`)).toEqual(
      Array.from({ length: 40 }, (_, index) => `${expected[9]} ${index + 1}`),
    );
  });

  it('has only events of the requested types, and ends when there are none', async () => {
    await append(Array(150).fill(1));
    expect(ids(await read(['ChildOpened']))).toEqual([]);
    expect((await read(['ParentRenamed'])).flat().map((events) => events.length)).toEqual(Array(150).fill(1));
  });
});
