import { SystemClock } from '#kernel/clock';
import { type Id, newId, toUuid } from '#kernel/ids';
import type { RequestContext } from '#platform/request-context';
import { createContext, createTestStore, openStore, type TestStore } from '../../../test/support/store';
import { type Folded, fold } from '../events';
import { Contiguity } from '../feed/contiguity';
import { at, counter, holderOf, linksTo } from '../load';
import { AppendSignal } from '../signal';
import { closeParent, openParent, renameParent } from '../testing/commands';
import { endsOf, readFeed } from '../testing/read-feed';
import {
  Child,
  childOpened,
  OPEN_CHILD,
  Parent,
  Person,
  parentOpened,
  parentRenamed,
} from '../testing/streams';
import { BulkAppender, type NewStream } from './append-bulk';

const definitions = [Parent, Child, Person];

describe('appendBulk', () => {
  let store: TestStore;
  let other: ReturnType<typeof openStore>;
  let signal: AppendSignal;
  let bulk: BulkAppender;
  let context: RequestContext;
  beforeEach(async () => {
    store = await createTestStore(definitions);
    other = openStore(store.url, definitions);
    signal = new AppendSignal(store.writes);
    bulk = new BulkAppender(store.writes, store.codec, store.keys, signal, new SystemClock());
    context = await createContext(store);
  });
  afterEach(async () => {
    signal.onApplicationShutdown();
    await other.close();
    await store.close();
  });

  const parent = (index: number, more: Partial<NewStream> = {}): NewStream => ({
    definition: Parent,
    id: newId('client'),
    events: [parentOpened(`parent\t${index}\n\\`, `code ${index}`), parentRenamed(`renamed ${index} "é"`)],
    ...more,
  });

  it('writes 20,000 streams that read, fold and continue like any other', async () => {
    const expected = new Map<Id, number>();
    async function* streams(): AsyncGenerator<NewStream> {
      for (let index = 0; index < 20_000; index += 3) {
        const first = parent(index, { recordedAt: new Date('2024-01-02T03:04:05.678Z') });
        const child: NewStream = {
          definition: Child,
          id: newId('matter'),
          events: [childOpened(first.id as Id<'client'>)],
        };
        const person: NewStream = {
          definition: Person,
          id: newId('entity'),
          events: [{ type: 'PersonNamed', data: { fullName: `Person ${index}`, title: 'Dr' } }],
        };
        for (const stream of [first, child, person]) {
          expected.set(stream.id, stream.events.length);
          yield stream;
        }
      }
    }
    const position = await bulk.append(context, streams(), 'import');
    expect(expected.size).toBeGreaterThanOrEqual(20_000);

    const folded = new Map<string, Folded>();
    const events = await readFeed(store.feed, context.tenant.partition, position!);
    new Contiguity().check(events);
    expect(events.at(-1)!.at).toEqual(position);
    for (const event of events) {
      const definition = store.codec.definitions.ofType(event.event.type);
      folded.set(event.streamId, fold(definition, folded.get(event.streamId), event));
      expect(event.metadata.source).toBe('import');
    }
    expect(folded.size).toBe(expected.size);
    for (const { id, version } of folded.values()) expect(version).toBe(expected.get(id));

    const ids = [...expected.keys()];
    for (let index = 0; index < ids.length; index += 500) {
      const asked = ids.slice(index, index + 500);
      const states = await store.loader.load(
        context.tenant.id,
        asked.map((id) => at(store.codec.definitions.ofKind(id.split('_')[0]), id)),
      );
      for (const state of states as Folded[]) {
        const { wrapped: _key, ...rest } = state;
        const { wrapped: _none, ...again } = folded.get(toUuid(state.id))!;
        expect(rest).toEqual(again);
      }
    }
    const [firstParent] = ids;
    expect(folded.get(toUuid(firstParent))).toMatchObject({
      audit: { createdOn: '2024-01-02T03:04:05.678Z' },
      data: { name: 'renamed 0 "é"' },
    });
    expect(
      await store.loader.load(context.tenant.id, [
        linksTo(firstParent, OPEN_CHILD),
        holderOf('code', 'code 0'),
      ]),
    ).toEqual([1, toUuid(firstParent)]);
    const { rows } = await store.writes.pool.query(
      `select count(*)::int from event_store.events where data::text like '%Person %'`,
    );
    expect(rows).toEqual([{ count: 0 }]);

    const renamed = await renameParent(other.store, context, firstParent, 'later');
    expect(renamed.record).toMatchObject({ version: 3, data: { name: 'later' } });
    await expect(closeParent(other.store, context, firstParent)).rejects.toMatchObject({
      code: 'open_children',
    });
  });

  it('goes on beside ordinary appends of the same tenant, in chunks, in feed order', async () => {
    const { record } = await openParent(other.store, context);
    let done = false;
    const bulked = bulk
      .append(
        context,
        Array.from({ length: 3_000 }, (_, index) => parent(index)),
        'demo',
      )
      .finally(() => (done = true));
    let appended = 0;
    while (!done) {
      await renameParent(other.store, context, record.id, `during ${appended++}`);
    }
    const position = await bulked;
    expect(appended).toBeGreaterThan(1);
    const head = (await endsOf(store)).get(context.tenant.partition)!;
    const events = await readFeed(store.feed, context.tenant.partition, head);
    new Contiguity().check(events);
    expect(events).toHaveLength(1 + appended + 6_000);
    expect(events.some((event) => event.at.position === position!.position)).toBe(true);
    const { rows } = await store.writes.pool.query(
      `select distinct transaction_id from event_store.events where metadata ->> 'source' = 'demo'`,
    );
    expect(rows.length).toBeGreaterThan(1);
  });

  it('refuses a stream that exists and a key that is held, and writes nothing of that chunk', async () => {
    const { record } = await openParent(store.store, context, { code: 'held' });
    const again = bulk.append(context, [parent(1), parent(2, { id: record.id })], 'import');
    await expect(again).rejects.toMatchObject({ fault: 'conflict', code: 'stream_exists' });
    const held = bulk.append(
      context,
      [parent(1), parent(2, { events: [parentOpened('x', 'held')] })],
      'import',
    );
    await expect(held).rejects.toMatchObject({ fault: 'conflict', code: 'code_taken' });
    const { rows } = await store.writes.pool.query('select count(*)::int from event_store.events');
    expect(rows).toEqual([{ count: 1 }]);
  });

  it('moves counters with the chunk that took their numbers, and never back', async () => {
    const count = async (name: string) =>
      (await store.loader.load(context.tenant.id, [counter(name)])) as number[];
    await store.store.execute(context, async (work) => {
      work.count('many', 0, 9_000);
      return work.create(Parent, newId('client'), [parentOpened()]);
    });
    const { record } = await openParent(store.store, context, { code: 'held' });
    const numbered = Array.from({ length: 700 }, (_, index) =>
      parent(index, { counters: { few: index + 1, many: 8_000 + index } }),
    );
    await bulk.append(context, numbered, 'demo');
    expect([await count('few'), await count('many')]).toEqual([[700], [9_000]]);

    // The first chunk is committed; the second is refused, together with its numbers.
    const late = Array.from({ length: 600 }, (_, index) =>
      parent(1_000 + index, { counters: { few: 1_000 + index } }),
    );
    const again = bulk.append(context, [...late, parent(9_999, { id: record.id })], 'demo');
    await expect(again).rejects.toMatchObject({ code: 'stream_exists' });
    expect(await count('few')).toEqual([1_499]);
  });

  it('does nothing without streams', async () => {
    expect(await bulk.append(context, [], 'import')).toBeUndefined();
  });
});
