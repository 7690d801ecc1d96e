import { createHash } from 'node:crypto';
import { conflict } from '#kernel/errors';
import { newId, toUuid } from '#kernel/ids';
import type { RequestContext } from '#platform/request-context';
import { SetClock } from '../../../test/support/set-clock';
import { createContext, createTestStore, openStore, type TestStore } from '../../../test/support/store';
import { at } from '../load';
import { openParent, renameParent } from '../testing/commands';
import { Parent, type ParentState, parentOpened, parentRenamed } from '../testing/streams';

describe('Idempotency-Key', () => {
  const clock = new SetClock(new Date('2025-03-01T12:00:00Z'));
  let store: TestStore;
  let other: ReturnType<typeof openStore>;
  let context: RequestContext;
  beforeAll(async () => {
    store = await createTestStore([Parent], clock);
    other = openStore(store.url, [Parent], clock);
    context = await createContext(store);
  });
  afterAll(async () => {
    await other.close();
    await store.close();
  });

  const keyed = (key: string, body = 'body'): RequestContext => ({
    ...context,
    idempotency: { key, hash: createHash('sha256').update(body).digest() },
  });
  const count = async (name: string) => {
    const { rows } = await store.writes.pool.query(
      `select from event_store.events where data ->> 'name' = $1`,
      [name],
    );
    return rows.length;
  };

  it('carries out one of many concurrent repeats in two processes, and gives all of them the same answer', async () => {
    const written = await Promise.all(
      Array.from({ length: 30 }, (_, index) =>
        openParent(index % 2 ? store.store : other.store, keyed('many'), {
          id: newId('client'),
          name: 'many',
        }),
      ),
    );
    expect(new Set(written.map(({ record }) => record.id)).size).toBe(1);
    expect(written.filter(({ replayed }) => !replayed)).toHaveLength(1);
    expect(await count('many')).toBe(1);
  });

  it('refuses another body under the same key, even at the same time', async () => {
    await openParent(store.store, keyed('reused', 'one'));
    const again = openParent(store.store, keyed('reused', 'two'));
    await expect(again).rejects.toMatchObject({ fault: 'invalid', code: 'idempotency_key_reused' });

    const outcomes = await Promise.allSettled([
      openParent(store.store, keyed('race', 'one')),
      openParent(other.store, keyed('race', 'two')),
    ]);
    expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    expect(outcomes.find(({ status }) => status === 'rejected')).toMatchObject({
      reason: { code: 'idempotency_key_reused' },
    });
  });

  it('gives the first answer after later changes', async () => {
    const first = await openParent(store.store, keyed('later'), { name: 'at first' });
    await renameParent(store.store, context, first.record.id, 'afterwards');
    const again = await openParent(store.store, keyed('later'), { name: 'ignored' });
    expect(again).toMatchObject({ replayed: true, record: { id: first.record.id, version: 1 } });
    expect(again.position).toEqual(first.position);
    expect(again.record.data).toEqual(first.record.data);
    expect(again.record.audit).toEqual(first.record.audit);
  });

  it('keeps the outcome, and the record that the answer showed', async () => {
    const both = (opened: TestStore['store']) =>
      opened.execute<ParentState>(keyed('both'), async (work) => {
        work.create(Parent, newId('client'), [parentOpened('beside')]);
        work.outcome = { done: ['a', 'b'] };
        return work.create(Parent, newId('client'), [parentOpened('shown')]);
      });
    const first = await both(store.store);
    const again = await both(other.store);
    expect(again.outcome).toEqual({ done: ['a', 'b'] });
    expect(again.position).toEqual(first.position);
    expect(again.records.map(({ id }) => id)).toEqual([first.record.id]);
    expect(again.record.data.name).toBe('shown');
  });

  it('gives the first answer to a repeat during which the first request was carried out', async () => {
    const { record } = await openParent(store.store, context);
    const close = (opened: TestStore['store'], meanwhile?: () => Promise<unknown>) =>
      opened.execute<ParentState>(keyed('between'), async (work) => {
        await work.load({ parent: at(Parent, record.id) });
        await meanwhile?.();
        const { same } = await work.load({ same: at(Parent, record.id) });
        if (!same!.data.active) throw conflict('closed', 'The parent is closed.');
        return work.change(Parent, same!, [{ type: 'ParentClosed', data: {} }]);
      });
    const again = await close(store.store, () => close(other.store));
    expect(again).toMatchObject({ replayed: true, record: { version: 2, data: { active: false } } });
  });

  it('gives the answer of a record with many events without reading many of them at once, or any if it is unchanged', async () => {
    const { record } = await openParent(store.store, context);
    const names = Array.from({ length: 80 }, (_, number) => `name ${number}`);
    await store.store.execute<ParentState>(context, async (work) => {
      const { parent } = await work.load({ parent: at(Parent, record.id) });
      return work.change(Parent, parent!, names.map(parentRenamed));
    });
    const rename = (name: string) => renameParent(store.store, keyed('long'), record.id, name);
    const first = await rename('at last');
    const read = jest.spyOn(store.loader, 'page');
    expect(await rename('at last')).toMatchObject({ replayed: true, record: first.record });
    expect(read).not.toHaveBeenCalled();
    await renameParent(store.store, context, record.id, 'afterwards');
    expect(await rename('at last')).toMatchObject({ replayed: true, record: first.record });
    expect(read.mock.calls.map(([, , range]) => range)).toEqual([
      { after: 0, limit: 32 },
      { after: 32, limit: 32 },
      { after: 64, limit: 18 },
    ]);
    read.mockRestore();
  });

  it('gives the first answer again for a request that changed nothing, whatever has changed since', async () => {
    const { record } = await openParent(store.store, context);
    const reopen = () =>
      store.store.execute<ParentState>(keyed('nothing'), async (work) => {
        const { parent } = await work.load({ parent: at(Parent, record.id) });
        return work.change(Parent, parent!, parent!.data.active ? [] : [parentOpened('reopened')]);
      });
    expect((await reopen()).position).toBeUndefined();
    await store.store.execute(context, async (work) => {
      const { parent } = await work.load({ parent: at(Parent, record.id) });
      return work.change(Parent, parent!, [{ type: 'ParentClosed', data: {} }]);
    });
    const again = await reopen();
    expect(again).toMatchObject({ replayed: true, record: { version: 1, data: { active: true } } });
    const [now] = await store.loader.load(context.tenant.id, [at(Parent, record.id)]);
    expect(now).toMatchObject({ version: 2, data: { active: false } });
  });

  it('is stored in the transaction of the events: neither exists without the other', async () => {
    const id = newId('client');
    await openParent(store.store, keyed('together'), { id });
    const { rows } = await store.writes.pool.query(
      `select e.xmin::text = k.xmin::text as together from event_store.events e
       join event_store.idempotency_keys k on k.tenant_id = e.tenant_id and k.key = 'together'
       where e.stream_id = $1`,
      [toUuid(id)],
    );
    expect(rows).toEqual([{ together: true }]);

    await store.writes.pool.query(
      'alter table event_store.idempotency_keys add constraint broken check (key <> $$broken$$)',
    );
    await expect(openParent(store.store, keyed('broken'), { name: 'half' })).rejects.toThrow();
    expect(await count('half')).toBe(0);
  });

  it('is not stored with a refusal', async () => {
    await openParent(store.store, context, { code: 'held' });
    const refused = openParent(store.store, keyed('refused'), { code: 'held' });
    await expect(refused).rejects.toMatchObject({ code: 'code_taken' });
    const { replayed } = await openParent(store.store, keyed('refused'), { code: 'free' });
    expect(replayed).toBe(false);
  });

  it('belongs to one integration and one tenant', async () => {
    const first = await openParent(store.store, keyed('own'));
    const elsewhere = await createContext(store);
    for (const asked of [
      { ...keyed('own'), integrationId: '00000000-0000-4000-8000-000000000001' },
      { ...keyed('own'), tenant: elsewhere.tenant },
    ]) {
      const written = await openParent(store.store, asked);
      expect(written.replayed).toBe(false);
      expect(written.record.id).not.toBe(first.record.id);
    }
  });

  it('is forgotten after 24 hours', async () => {
    const first = await openParent(store.store, keyed('day'));
    clock.advance(24 * 3600 - 1);
    expect((await openParent(store.store, keyed('day'))).record.id).toBe(first.record.id);
    clock.advance(1);
    const next = await openParent(store.store, keyed('day', 'another body'));
    expect(next.replayed).toBe(false);
    expect((await openParent(store.store, keyed('day', 'another body'))).record.id).toBe(next.record.id);
  });
});
