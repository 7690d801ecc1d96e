import { Client } from 'pg';
import { SystemClock } from '#kernel/clock';
import type { DomainEvent, StreamDefinition } from '#kernel/decider';
import { type Id, newId, toUuid } from '#kernel/ids';
import type { RequestContext } from '#platform/request-context';
import { createContext, createTestStore, openStore, type TestStore } from '../../test/support/store';
import { BulkAppender } from './append/append-bulk';
import { ClosedTenants } from './closed-tenants';
import { Erasures } from './erasures';
import type { Folded } from './events';
import { at } from './load';
import { lockTenant } from './locks';
import { derivedOf } from './streams/testing/derived';

type State = { fullName: string | null; title: string };
type Event =
  | DomainEvent<'PersonNamed', { fullName: string; title: string }>
  | DomainEvent<'PersonTitled', { title: string }>
  | DomainEvent<'PersonErased'>;

const Person: StreamDefinition<State, Event> = {
  kind: 'entity',
  foldVersion: 1,
  events: { PersonNamed: [], PersonTitled: [], PersonErased: [] },
  isDeleted: () => false,
  links: () => [],
  keys: ({ fullName }) => (fullName === null ? [] : [{ kind: 'full_name', key: fullName }]),
  personal: { fields: ['fullName'], erased: () => ({ fullName: null }), erasure: 'PersonErased' },
  evolve(state, event) {
    if (event.type === 'PersonErased') return { ...state!, fullName: null };
    return { ...state!, ...event.data };
  },
};
const erasure: Event = { type: 'PersonErased', data: {} };
const named = (fullName: string, title = 'Dr'): Event => ({ type: 'PersonNamed', data: { fullName, title } });
const titled = (title: string): Event => ({ type: 'PersonTitled', data: { title } });

describe('erased people', () => {
  let store: TestStore;
  let context: RequestContext;
  let count = 0;
  beforeAll(async () => {
    store = await createTestStore([Person]);
    context = await createContext(store);
  });
  afterAll(() => store.close());

  async function made(): Promise<Id> {
    const id = newId('entity');
    const name = `Quill ${++count}`;
    await store.store.execute(context, async (work) => work.create(Person, id, [named(name)]));
    return id;
  }

  function change(id: Id, events: Event[], by = context) {
    return store.store.execute(by, async (work) => {
      const { person } = await work.load({ person: at(Person, id) });
      return work.change(Person, person!, events);
    });
  }

  async function read(id: Id, by: Pick<TestStore, 'loader'> = store): Promise<State> {
    const [person] = (await by.loader.load(context.tenant.id, [at(Person, id)])) as [Folded<State>];
    return person.data;
  }

  async function hasKey(id: Id): Promise<boolean> {
    const { rows } = await store.writes.pool.query<{ wrapped: Buffer | null }>(
      'select wrapped from event_store.subject_keys where subject = $1',
      [toUuid(id)],
    );
    expect(rows).toHaveLength(1);
    return rows[0].wrapped !== null;
  }

  it('are not erased while their tenant is closed, nor by a bulk append', async () => {
    const id = await made();
    const closed = new ClosedTenants(store.writes);
    const late = store.store.execute(context, async (work) => {
      const { person } = await work.load({ person: at(Person, id) });
      await closed.close(context.tenant.id, 'promotion_in_progress');
      return work.change(Person, person!, [erasure]);
    });
    await expect(late).rejects.toMatchObject({ code: 'promotion_in_progress' });
    const [before] = (await store.loader.load(context.tenant.id, [at(Person, id)])) as [Folded];
    const signal = { appended: () => undefined };
    const bulk = new BulkAppender(store.writes, store.codec, store.keys, signal as never, new SystemClock());
    const erased = { definition: Person, id, before, events: [erasure] };
    await expect(bulk.append(context, [erased], 'import')).rejects.toThrow('is erased by a bulk append');
    expect([await hasKey(id), (await read(id)).fullName]).toEqual([true, expect.stringMatching(/^Quill/)]);
    await closed.open(context.tenant.id);
  });

  it('are erased once nobody holds the lock of their tenant, and those of other tenants meanwhile', async () => {
    const id = await made();
    const neighbour = await createContext(store);
    const other = newId('entity');
    await store.store.execute(neighbour, async (work) => work.create(Person, other, [named('Neighbour')]));
    const holder = new Client(store.url);
    await holder.connect();
    await holder.query('begin');
    await lockTenant(holder, context.tenant.id);
    const late = change(id, [erasure]);
    await change(other, [erasure], neighbour);
    expect([await hasKey(id), await hasKey(other)]).toEqual([true, false]);
    await holder.end();
    await late;
    expect(await hasKey(id)).toBe(false);
  });

  it('lose their key and the reservation of their name with the event that erases them', async () => {
    const id = await made();
    await change(id, [erasure]);
    expect(await hasKey(id)).toBe(false);
    expect(await read(id)).toEqual({ fullName: null, title: 'Dr' });
    const { rows } = await store.writes.pool.query(
      `select (select state::text from event_store.streams where stream_id = $1) as state,
         array(select key from event_store.reservations where stream_id = $1) as keys`,
      [toUuid(id)],
    );
    expect(rows[0].keys).toEqual([]);
    expect(JSON.parse(rows[0].state)).toMatchObject({ data: { fullName: null, title: 'Dr' } });
    expect(rows[0].state).not.toContain('sealed');
  });

  it('read the same from their events as from their state', async () => {
    const id = await made();
    await change(id, [titled('Professor')]);
    await change(id, [erasure]);
    const events = await store.loader.page(context.tenant.id, toUuid(id), { after: 0, limit: 1_000 });
    expect(events.map(({ event }) => event)).toEqual([
      { type: 'PersonNamed', data: { fullName: null, title: 'Dr' } },
      { type: 'PersonTitled', data: { title: 'Professor' } },
      erasure,
    ]);
    expect((await store.loader.foldEvents(Person, context.tenant.id, toUuid(id)))?.data).toEqual(
      await read(id),
    );
    expect(await derivedOf(store).verifier.verify()).toMatchObject({ differences: 0, findings: [] });
  });

  it('are read as erased even by a process that had their key', async () => {
    const id = await made();
    const other = openStore(store.url, [Person]);
    expect((await read(id, other)).fullName).toMatch(/^Quill/);
    await change(id, [erasure]);
    expect((await read(id, other)).fullName).toBeNull();
    await other.close();
  });

  it('can still be changed, but not in their personal data', async () => {
    const id = await made();
    await change(id, [erasure]);
    await expect(change(id, [named('Again')])).rejects.toMatchObject({
      fault: 'conflict',
      code: 'anonymised',
    });
    await change(id, [titled('Dame')]);
    expect(await read(id)).toEqual({ fullName: null, title: 'Dame' });
    expect(await hasKey(id)).toBe(false);
  });

  it('keep their key when the erasure is refused', async () => {
    const id = await made();
    let attempts = 0;
    const refused = store.store.execute(context, async (work) => {
      const { person } = await work.load({ person: at(Person, id) });
      await change(id, [titled(`Title ${++attempts}`)]);
      return work.change(Person, person!, [erasure]);
    });
    await expect(refused).rejects.toMatchObject({ code: 'concurrent_update' });
    expect(attempts).toBe(5);
    expect(await hasKey(id)).toBe(true);
    expect((await read(id)).fullName).toMatch(/^Quill/);
  });

  it('are erased in one batch with changes of other people, who keep their keys', async () => {
    const ids = await Promise.all(Array.from({ length: 30 }, made));
    const twice = ids.slice(0, 5);
    const results = await Promise.allSettled([
      ...ids.map((id, index) => change(id, [index % 3 === 0 ? erasure : titled('Kept')])),
      ...twice.map((id) => change(id, [titled('Twice')])),
    ]);
    expect(results.filter(({ status }) => status === 'rejected')).toEqual([]);
    expect(await Promise.all(ids.map(hasKey))).toEqual(ids.map((_, index) => index % 3 !== 0));
  });

  it('cannot be erased by the command that creates them', async () => {
    const id = newId('entity');
    const both = store.store.execute(context, async (work) =>
      work.create(Person, id, [named('Brief'), erasure]),
    );
    await expect(both).rejects.toThrow('is erased as it is created');
  });

  it('are remembered, so that keys that come back with a backup are destroyed again', async () => {
    const erasures = new Erasures(store.writes, store.codec);
    const [id, other] = [await made(), await made()];
    const { rows } = await store.writes.pool.query(
      'select * from event_store.subject_keys where subject = $1',
      [toUuid(id)],
    );
    await change(id, [erasure]);
    const recorded = await erasures.recorded();
    expect(recorded.map(({ streamId }) => streamId)).toContain(toUuid(id));
    expect(recorded.map(({ event }) => event.type)).toEqual(recorded.map(() => 'PersonErased'));
    expect(await erasures.repeat()).toBe(0);
    const restore = 'update event_store.subject_keys set wrapped = $2 where subject = $1';
    await store.writes.pool.query(restore, [toUuid(id), rows[0].wrapped]);
    expect(await hasKey(id)).toBe(true);
    expect(await erasures.repeat()).toBe(1);
    expect([await hasKey(id), await hasKey(other)]).toEqual([false, true]);
  });
});
