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

  /** Appends streams of two events each, with names of the given lengths. Returns their ids. */
  async function append(lengths: readonly number[]): Promise<string[]> {
    const streams = lengths.map(
      (length): NewStream => ({
        definition: Parent,
        id: newId('client'),
        events: [parentOpened('x'.repeat(length)), parentRenamed('y')],
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
  async function read(types = Object.keys(Parent.events)): Promise<RecordedEvent[][][]> {
    const client = await store.writes.session();
    const batches: RecordedEvent[][][] = [];
    try {
      const range = { tenantId: context.tenant.id, types, upTo: END };
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

  it('has only events of the requested types, and ends when there are none', async () => {
    await append(Array(150).fill(1));
    expect(ids(await read(['ChildOpened']))).toEqual([]);
    expect((await read(['ParentRenamed'])).flat().map((events) => events.length)).toEqual(Array(150).fill(1));
  });
});
