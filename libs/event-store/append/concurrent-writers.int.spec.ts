import { setImmediate as nextTurn } from 'node:timers/promises';
import { newId, toUuid } from '#kernel/ids';
import type { RequestContext } from '#platform/request-context';
import { createContext, createTestStore, openStore, type TestStore } from '../../../test/support/store';
import { at, holderOf } from '../load';
import { closeParent, openChild, openParent, renameParent } from '../testing/commands';
import { endsOf, readFeed } from '../testing/read-feed';
import { Child, OPEN_CHILD, Parent, parentOpened } from '../testing/streams';

describe('concurrent writers', () => {
  let store: TestStore;
  let other: ReturnType<typeof openStore>;
  let context: RequestContext;
  beforeAll(async () => {
    store = await createTestStore([Parent, Child]);
    other = openStore(store.url, [Parent, Child]);
    context = await createContext(store);
  });
  afterAll(async () => {
    await other.close();
    await store.close();
  });

  it('50 on one stream, in two processes: versions are contiguous, no acknowledged write is lost, refusals are clear', async () => {
    const { record } = await openParent(store.store, context);
    const outcomes = await Promise.allSettled(
      Array.from({ length: 50 }, (_, index) =>
        renameParent(index % 2 ? store.store : other.store, context, record.id, `name ${index}`),
      ),
    );
    const events = await store.loader.page(context.tenant.id, toUuid(record.id), { after: 0, limit: 1_000 });
    expect(events.map(({ version }) => version)).toEqual(events.map((_, index) => index + 1));

    const acknowledged = outcomes.flatMap((outcome) =>
      outcome.status === 'fulfilled' ? [outcome.value] : [],
    );
    expect(events).toHaveLength(acknowledged.length + 1);
    for (const { record: written, position } of acknowledged) {
      const event = events[written.version - 1];
      expect(event.event.data).toEqual({ name: written.data.name });
      expect(event.at).toEqual(position);
    }
    for (const outcome of outcomes) {
      if (outcome.status === 'rejected')
        expect(outcome.reason).toMatchObject({ fault: 'conflict', code: 'concurrent_update' });
    }
    expect(acknowledged.length).toBeGreaterThanOrEqual(25);
  });

  it('50 in one process all succeed: they take turns', async () => {
    const { record } = await openParent(store.store, context);
    const written = await Promise.all(
      Array.from({ length: 50 }, (_, index) =>
        renameParent(store.store, context, record.id, `name ${index}`),
      ),
    );
    expect(new Set(written.map(({ record: { version } }) => version)).size).toBe(50);
  });

  it('a command that cannot be stored fails alone among good ones', async () => {
    const outcomes = await Promise.allSettled(
      Array.from({ length: 20 }, (_, index) =>
        openParent(store.store, context, { name: index === 7 ? 'a\0b' : index === 9 ? 'a\ud800' : 'good' }),
      ),
    );
    const failed = outcomes.flatMap((outcome, index) =>
      outcome.status === 'rejected' ? [[index, outcome.reason.code]] : [],
    );
    expect(failed).toEqual([
      [7, 'invalid_text'],
      [9, 'invalid_text'],
    ]);
  });

  it('a command that makes the whole batch fail in the database fails alone too', async () => {
    await store.writes.pool.query(
      `alter table event_store.events add constraint poison check (data ->> 'name' <> 'poison')`,
    );
    const query = jest.spyOn(store.writes.pool, 'query');
    const outcomes = await Promise.allSettled(
      Array.from({ length: 10 }, (_, index) =>
        openParent(store.store, context, { name: index === 4 ? 'poison' : 'good' }),
      ),
    );
    expect(outcomes.map(({ status }) => status === 'fulfilled')).toEqual(
      outcomes.map((_, index) => index !== 4),
    );
    expect(outcomes[4]).toMatchObject({ reason: { code: '23514' } });
    // The batch of ten, and then each command by itself.
    const appends = query.mock.calls.filter(
      ([sent]) => (sent as { name?: string }).name === 'event_store.append',
    );
    expect(appends).toHaveLength(11);
    query.mockRestore();
    await store.writes.pool.query('alter table event_store.events drop constraint poison');
  });

  it('a load that cannot be carried out fails alone too', async () => {
    const { record } = await openParent(store.store, context);
    const [good, text, id] = await Promise.allSettled([
      store.loader.load(context.tenant.id, [at(Parent, record.id)]),
      store.loader.load(context.tenant.id, [holderOf('code', 'a\0b')]),
      store.loader.load(context.tenant.id, [
        { section: 'streams', definition: Parent, query: { stream: 'no uuid' } },
      ]),
    ]);
    expect(good).toMatchObject({ value: [{ version: 1 }] });
    expect(text).toMatchObject({ reason: { code: 'invalid_text' } });
    expect(id).toMatchObject({ reason: { code: '22P02' } });
  });

  it('never both open a child and close its parent, however the two commands of two processes meet', async () => {
    const rounds = 40;
    const tallies = await Promise.all(
      Array.from({ length: rounds }, async (_, round) => {
        const { record } = await openParent(store.store, context);
        const id = record.id as `client_${string}`;
        // Over the rounds the two commands meet at every stage of each other.
        for (let turn = 0; turn < round; turn++) await nextTurn();
        const [opened, closed] = await Promise.allSettled([
          openChild(round % 2 ? store.store : other.store, context, id),
          closeParent(round % 2 ? other.store : store.store, context, id),
        ]);
        const parent = await store.loader.foldEvents(Parent, context.tenant.id, toUuid(id));
        const { rows } = await store.writes.pool.query(
          'select from event_store.links where tenant_id = $1 and target = $2 and kind = $3',
          [context.tenant.id, toUuid(id), OPEN_CHILD],
        );
        expect((parent!.data as { active: boolean }).active).toBe(closed.status === 'rejected');
        expect(rows).toHaveLength(opened.status === 'fulfilled' ? 1 : 0);
        for (const outcome of [opened, closed]) {
          if (outcome.status === 'rejected') expect(outcome.reason.fault).toBe('conflict');
        }
        return `${opened.status} ${closed.status}`;
      }),
    );
    expect(tallies).not.toContain('fulfilled fulfilled');
    expect(tallies).not.toContain('rejected rejected');
  });

  it('each get the position of the last event of their own command', async () => {
    const written = await Promise.all(
      Array.from({ length: 30 }, (_, index) =>
        store.store.execute(context, async (work) => {
          const first = work.create(Parent, newId('client'), [parentOpened(`first ${index}`)]);
          work.create(Parent, newId('client'), [
            parentOpened(`second ${index}`),
            { type: 'ParentClosed', data: {} },
          ]);
          return first;
        }),
      ),
    );
    const head = (await endsOf(store)).get(context.tenant.partition)!;
    const feed = await readFeed(store.feed, context.tenant.partition, head);
    for (const { records, position } of written) {
      const mine = feed.filter(({ streamId }) => records.some(({ id }) => toUuid(id) === streamId));
      expect(mine).toHaveLength(3);
      expect(mine.at(-1)!.at).toEqual(position);
    }
  });
});
