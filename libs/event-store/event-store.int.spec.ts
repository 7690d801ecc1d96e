import { conflict, RecordsDisagree } from '#kernel/errors';
import { newId, toUuid } from '#kernel/ids';
import type { RequestContext } from '#platform/request-context';
import { createContext, createTestStore, openStore, type TestStore } from '../../test/support/store';
import { at } from './load';
import { openChild, openParent, renameParent } from './testing/commands';
import { Child, childOpened, Parent, Person, parentOpened, parentRenamed } from './testing/streams';

describe('the event store', () => {
  let store: TestStore;
  let context: RequestContext;
  beforeAll(async () => {
    store = await createTestStore([Parent, Child, Person]);
    context = await createContext(store);
  });
  afterAll(() => store.close());

  const load = async (id: string) => {
    const [folded] = await store.loader.load(context.tenant.id, [at(Parent, id)]);
    return folded as Awaited<ReturnType<typeof openParent>>['record'] | undefined;
  };

  describe('If-Match', () => {
    it('refuses another version, and accepts the present one', async () => {
      const { record } = await openParent(store.store, context);
      await expect(
        renameParent(store.store, { ...context, ifMatch: ['2'] }, record.id, 'x'),
      ).rejects.toMatchObject({
        fault: 'precondition',
        code: 'version_mismatch',
        headers: { ETag: '"1"' },
      });
      const written = await renameParent(store.store, { ...context, ifMatch: ['1'] }, record.id, 'y');
      expect(written.record.version).toBe(2);
    });

    it('refuses, and does not try again, when another writer was faster', async () => {
      const { record } = await openParent(store.store, context);
      let attempts = 0;
      const late = store.store.execute({ ...context, ifMatch: ['1'] }, async (work) => {
        attempts++;
        const { parent } = await work.load({ parent: at(Parent, record.id) });
        if (attempts === 1) await renameParent(store.store, context, record.id, 'faster');
        return work.change(Parent, parent!, [parentRenamed('late')]);
      });
      await expect(late).rejects.toMatchObject({ code: 'version_mismatch' });
      expect(attempts).toBe(2);
      expect((await load(record.id))!.data.name).toBe('faster');
    });
  });

  describe('guards', () => {
    it('make a command decide again when a record that it relied on has changed', async () => {
      const parent = await openParent(store.store, context);
      const seen: number[] = [];
      await store.store.execute(context, async (work) => {
        const { found } = await work.load({ found: at(Parent, parent.record.id) });
        seen.push(found!.version);
        if (seen.length === 1) await renameParent(store.store, context, parent.record.id, 'changed');
        return work.create(Child, newId('matter'), [childOpened(parent.record.id as `client_${string}`)]);
      });
      expect(seen).toEqual([1, 2]);
    });

    it('compare with the version that a command read first', async () => {
      const parent = await openParent(store.store, context);
      let attempts = 0;
      await store.store.execute(context, async (work) => {
        attempts++;
        await work.load({ found: at(Parent, parent.record.id) });
        if (attempts === 1) await renameParent(store.store, context, parent.record.id, 'changed');
        await work.load({ again: at(Parent, parent.record.id) });
        return work.create(Child, newId('matter'), [childOpened(parent.record.id as `client_${string}`)]);
      });
      expect(attempts).toBe(2);
    });

    it('are shared: children of one parent are opened at once', async () => {
      const { record } = await openParent(store.store, context);
      const children = await Promise.all(
        Array.from({ length: 30 }, () => openChild(store.store, context, record.id as `client_${string}`)),
      );
      expect(children.every(({ record: child }) => child.version === 1)).toBe(true);
    });
  });

  it('refuses to create a stream that exists, with a conflict that names its version', async () => {
    const { record } = await openParent(store.store, context);
    await renameParent(store.store, context, record.id, 'two');
    await expect(
      openParent(store.store, context, { id: record.id as `client_${string}` }),
    ).rejects.toMatchObject({
      code: 'concurrent_update',
      detail: expect.stringContaining('version 2'),
    });
  });

  it('folds a stored state of another fold version again from its events', async () => {
    const { record } = await openParent(store.store, context, { name: 'small' });
    await renameParent(store.store, context, record.id, 'smaller');
    const loud: typeof Parent = {
      ...Parent,
      foldVersion: 2,
      evolve: (state, event) => {
        const after = Parent.evolve(state, event);
        return { ...after, name: after.name.toUpperCase() };
      },
    };
    const next = openStore(store.url, [loud, Child, Person]);
    const [folded] = await next.loader.load(context.tenant.id, [at(loud, record.id)]);
    expect(folded).toMatchObject({ version: 2, data: { name: 'SMALLER' } });
    await next.store.execute(context, async (work) => {
      const { parent } = await work.load({ parent: at(loud, record.id) });
      return work.change(loud, parent!, [parentRenamed('smallest')]);
    });
    const { rows } = await store.writes.pool.query(
      `select state -> 'data' ->> 'name' as name, state_version from event_store.streams where stream_id = $1`,
      [toUuid(record.id)],
    );
    expect(rows).toEqual([{ name: 'SMALLEST', state_version: 2 }]);
    await next.close();
  });

  it('refuses an event of more than 256 KiB, and writes nothing of its command', async () => {
    const id = newId('client');
    const work = store.store.execute(context, async (unit) => {
      unit.create(Parent, id, [parentOpened('small')]);
      return unit.create(Parent, newId('client'), [parentOpened('x'.repeat(257 * 1024))]);
    });
    await expect(work).rejects.toMatchObject({ fault: 'too_large', code: 'event_too_large' });
    expect(await load(id)).toBeUndefined();
    await openParent(store.store, context, { name: 'x'.repeat(250 * 1024) });
  });

  it('keeps personal fields unreadable in events and states, and reads them back', async () => {
    const written = await store.store.execute(context, async (work) =>
      work.create(Person, newId('entity'), [
        { type: 'PersonNamed', data: { fullName: 'Ada Lovelace', title: 'Countess' } },
      ]),
    );
    const stream = toUuid(written.record.id);
    const { rows } = await store.writes.pool.query<{ text: string }>(
      `select e.data::text || s.state::text as text from event_store.events e
       join event_store.streams s using (tenant_id, stream_id) where stream_id = $1`,
      [stream],
    );
    expect(rows[0].text).toContain('Countess');
    expect(rows[0].text).not.toContain('Lovelace');
    const [loaded] = await store.loader.load(context.tenant.id, [at(Person, written.record.id)]);
    expect(loaded).toMatchObject({ data: { fullName: 'Ada Lovelace', title: 'Countess' } });

    await store.writes.pool.query('update event_store.subject_keys set wrapped = null where subject = $1', [
      stream,
    ]);
    const [erased] = await store.loader.load(context.tenant.id, [at(Person, written.record.id)]);
    expect(erased).toMatchObject({ data: { fullName: 'Erased', title: 'Countess' } });
    const [event] = await store.loader.page(context.tenant.id, stream, { after: 0, limit: 1_000 });
    expect(event.event.data).toEqual({ fullName: 'Erased', title: 'Countess' });
  });

  it('writes nothing of a command that is refused', async () => {
    const before = await store.writes.pool.query('select count(*) from event_store.events');
    const refused = store.store.execute(context, async (work) => {
      work.create(Parent, newId('client'), [parentOpened()]);
      throw conflict('no', 'No.');
    });
    await expect(refused).rejects.toMatchObject({ code: 'no' });
    const limited = store.store.execute(
      { ...context, admitted: Promise.reject(new Error('over the limit')) },
      async (work) => work.create(Parent, newId('client'), [parentOpened()]),
    );
    await expect(limited).rejects.toThrow('over the limit');
    const after = await store.writes.pool.query('select count(*) from event_store.events');
    expect(after.rows).toEqual(before.rows);
  });

  it('decides again when related records disagree, and gives up with that error when they always do', async () => {
    let tries = 0;
    const id = newId('client');
    const decide = (until: number) =>
      store.store.execute(context, async (work) => {
        if (++tries < until) throw new RecordsDisagree('a line and its source');
        return work.create(Parent, id, [parentOpened()]);
      });
    expect((await decide(3)).record.id).toBe(id);
    expect(tries).toBe(3);
    tries = 0;
    await expect(decide(99)).rejects.toThrow('a line and its source');
    expect(tries).toBe(5);
  });

  it('refuses a command as concurrent when its records disagree because others keep changing them', async () => {
    const { record } = await openParent(store.store, context);
    let tries = 0;
    const fought = store.store.execute(context, async (work) => {
      const { parent } = await work.load({ parent: at(Parent, record.id) });
      await renameParent(store.store, context, record.id, `name ${++tries}`);
      if (tries > 2) throw new RecordsDisagree('a line and its source');
      return work.change(Parent, parent!, [parentRenamed('lost')]);
    });
    await expect(fought).rejects.toMatchObject({ fault: 'conflict', code: 'concurrent_update' });
    expect(tries).toBe(5);
  });

  it('is unavailable for reading and for writing when the database cannot be reached', async () => {
    const url = new URL(store.url);
    url.port = '1';
    const down = openStore(url.href, [Parent, Child, Person]);
    const unavailable = {
      fault: 'unavailable',
      code: 'store_unavailable',
      headers: { 'Retry-After': '1' },
      // For the log: the caller is not shown it.
      cause: { code: 'ECONNREFUSED' },
    };
    await expect(openParent(down.store, context)).rejects.toMatchObject(unavailable);
    await expect(renameParent(down.store, context, newId('client'), 'x')).rejects.toMatchObject(unavailable);
    await down.close();
  });
});
