import type { Clock } from '#kernel/clock';
import type { DomainEvent, StreamDefinition } from '#kernel/decider';
import { type Id, newId } from '#kernel/ids';
import type { RequestContext } from '#platform/request-context';
import { createContext, createTestStore, type TestStore } from '../../../test/support/store';
import type { Folded } from '../events';
import { Contiguity } from '../feed/contiguity';
import { at } from '../load';
import { AppendSignal } from '../signal';
import { derivedOf } from '../streams/testing/derived';
import { endsOf, readFeed } from '../testing/read-feed';
import { Person } from '../testing/streams';
import { BulkAppender, type BulkStream } from './append-bulk';

interface DeskState {
  code: string | null;
  rooms: Id[];
}
type DeskEvent = DomainEvent<'DeskPlaced', DeskState> | DomainEvent<'DeskMoved', DeskState>;

/** A stream whose natural key and links change with every event. */
const Desk: StreamDefinition<DeskState, DeskEvent> = {
  kind: 'division',
  foldVersion: 1,
  events: { DeskPlaced: [], DeskMoved: [] },
  isDeleted: () => false,
  links: ({ rooms }) => rooms.map((target) => ({ kind: 'stands_in', target })),
  keys: ({ code }) => (code === null ? [] : [{ kind: 'desk_code', key: code }]),
  evolve: (_, { data }) => data,
};

describe('appendBulk to streams that exist', () => {
  const clock: Clock = { now: () => new Date('2026-03-31T09:30:00Z') };
  let store: TestStore;
  let signal: AppendSignal;
  let bulk: BulkAppender;
  let context: RequestContext;
  beforeEach(async () => {
    store = await createTestStore([Desk, Person], clock);
    signal = new AppendSignal(store.writes);
    bulk = new BulkAppender(store.writes, store.codec, store.keys, signal, clock);
    context = await createContext(store);
  });
  afterEach(async () => {
    signal.onApplicationShutdown();
    await store.close();
  });

  const rooms = Array.from({ length: 4 }, () => newId('matter'));
  const placed = (code: string | null, ...at: number[]): DeskEvent => ({
    type: 'DeskPlaced',
    data: { code, rooms: at.map((index) => rooms[index]) },
  });
  const moved = (code: string | null, ...at: number[]): DeskEvent => ({
    ...placed(code, ...at),
    type: 'DeskMoved',
  });

  const place = (code: string | null, ...at: number[]) =>
    store.store
      .execute(context, async (work) => work.create(Desk, newId('division'), [placed(code, ...at)]))
      .then(({ record }) => record);
  const move = (to: RequestContext, id: Id, events: DeskEvent[]) =>
    store.store.execute(to, async (work) => {
      const { desk } = await work.load({ desk: at(Desk, id) });
      return work.change(Desk, desk!, events);
    });
  const on = (before: Folded, ...events: DeskEvent[]): BulkStream => ({
    definition: Desk,
    id: before.id,
    before,
    events,
  });
  const load = async (id: Id, { tenant } = context) =>
    (await store.loader.load(tenant.id, [at(Desk, id)]))[0] as Folded<DeskState>;
  const count = async (table: string) => {
    const { rows } = await store.writes.pool.query(`select count(*)::int as count from ${table}`);
    return rows[0].count as number;
  };

  /** Everything stored of a tenant's streams, except who wrote it. */
  async function kept({ tenant }: RequestContext): Promise<unknown[]> {
    const { rows } = await store.writes.pool.query(
      `select array(select row(stream_id, kind, version, state ->> 'data', state_version)::text
           from event_store.streams where tenant_id = $1 order by 1) as streams,
         array(select row(target, kind, source)::text from event_store.links where tenant_id = $1 order by 1) as links,
         array(select row(kind, key, stream_id)::text from event_store.reservations where tenant_id = $1 order by 1)
           as keys,
         array(select row(stream_id, version, type, data)::text from event_store.events where tenant_id = $1
           order by 1) as events`,
      [tenant.id],
    );
    return rows[0];
  }

  async function verified(): Promise<void> {
    const { differences, findings } = await derivedOf(store).verifier.verify();
    expect({ differences, findings }).toEqual({ differences: 0, findings: [] });
    for (const [partition, end] of await endsOf(store))
      new Contiguity().check(await readFeed(store.feed, partition, end));
  }

  it('leaves what ordinary appends would have left: streams, links, reservations, events', async () => {
    const other = await createContext(store);
    const ids = Array.from({ length: 300 }, () => newId('division'));
    const start = (index: number) => placed(index % 3 ? `code ${index}` : null, index % 4);
    // Rooms are left, entered and kept; codes are kept, dropped, taken for the first time and changed.
    const later = (index: number) => [
      moved(index % 5 ? `code ${index}` : `new ${index}`, index % 4, (index + 1) % 4),
      ...(index % 2 ? [moved(index % 7 ? `code ${index}` : null, (index + 2) % 4)] : []),
    ];
    await bulk.append(
      context,
      ids.map((id, index) => ({ definition: Desk, id, events: [start(index)] })),
      'import',
    );
    const befores = await Promise.all(ids.map((id) => load(id)));
    const fresh = { definition: Desk, id: newId('division'), events: [placed('fresh', 1)] };
    await bulk.append(
      context,
      [...befores.map((before, index) => on(before, ...later(index))), fresh],
      'import',
    );
    await Promise.all(
      ids.map(async (id, index) => {
        await store.store.execute(other, async (work) => work.create(Desk, id, [start(index)]));
        await move(other, id, later(index));
      }),
    );
    await store.store.execute(other, async (work) => work.create(Desk, fresh.id, fresh.events));
    expect(await kept(context)).toEqual(await kept(other));
    await verified();
    expect((await move(context, ids[1], [moved('last')])).record).toMatchObject({ version: 4 });
  });

  it('refuses a stream that has changed since it was read, together with its whole chunk', async () => {
    const [one, two] = [await place('one', 1), await place('two', 2)];
    await move(context, two.id, [moved('two', 3)]);
    const before = await kept(context);
    const written = bulk.append(context, [on(one, moved('other', 0)), on(two, moved('late', 0))], 'import');
    await expect(written).rejects.toMatchObject({
      fault: 'conflict',
      code: 'concurrent_update',
      detail: `${two.id} is not at version 1 any more.`,
    });
    const gone = { ...one, id: newId('division') };
    await expect(bulk.append(context, [on(gone, moved(null))], 'import')).rejects.toMatchObject({
      code: 'concurrent_update',
    });
    await expect(bulk.append(context, [on(one, moved('a')), on(one, moved('b'))], 'import')).rejects.toThrow(
      new RangeError('A bulk append has a stream twice'),
    );
    expect(await kept(context)).toEqual(before);
  });

  it('gives a key that one stream releases to another of the chunk, but no key that another still holds', async () => {
    const [one, two] = [await place('one'), await place('two')];
    const fresh = { definition: Desk, id: newId('division'), events: [placed('one')] };
    await bulk.append(context, [fresh, on(one, moved('two')), on(two, moved('three'))], 'import');
    await verified();
    const before = await kept(context);
    const third = await load(two.id);
    const refusals = [
      [on(third, moved('one'))],
      [on(await load(one.id), moved('same')), on(third, moved('same'))],
      [on(third, moved('same')), { ...fresh, id: newId('division'), events: [placed('same')] }],
      [{ ...fresh, id: newId('division') }],
    ];
    for (const refused of refusals) {
      await expect(bulk.append(context, refused, 'import')).rejects.toMatchObject({
        code: 'desk_code_taken',
      });
    }
    expect(await kept(context)).toEqual(before);
  });

  it('encrypts with the existing key of a person', async () => {
    const id = newId('entity');
    const named = (fullName: string) => ({ type: 'PersonNamed', data: { fullName, title: 'Dr' } });
    await bulk.append(context, [{ definition: Person, id, events: [named('Ada Secret')] }], 'import');
    const loaded = async () => (await store.loader.load(context.tenant.id, [at(Person, id)]))[0] as Folded;
    const before = await loaded();
    await bulk.append(
      context,
      [{ definition: Person, id, before, events: [named('Grace Secret')] }],
      'import',
    );
    expect(await loaded()).toMatchObject({ version: 2, data: { fullName: 'Grace Secret' } });
    expect(await count(`event_store.events where data::text like '%Secret%'`)).toBe(0);
    expect(await count('event_store.subject_keys')).toBe(1);
    await verified();
  });
});
