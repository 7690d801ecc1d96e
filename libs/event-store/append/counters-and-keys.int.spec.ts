import { newId, toUuid } from '#kernel/ids';
import type { RequestContext } from '#platform/request-context';
import { createContext, createTestStore, openStore, type TestStore } from '../../../test/support/store';
import { at, counter, holderOf } from '../load';
import { openParent } from '../testing/commands';
import { Parent, parentOpened } from '../testing/streams';

describe('what is unique in a tenant', () => {
  let store: TestStore;
  let context: RequestContext;
  beforeAll(async () => {
    store = await createTestStore([Parent]);
    context = await createContext(store);
  });
  afterAll(() => store.close());

  describe('counters', () => {
    const numbered = (opened: TestStore['store'], name: string) =>
      opened.execute(context, async (work) => {
        const { used } = await work.load({ used: counter(name) });
        work.count(name, used, used + 1);
        // The number is a natural key, too. That another record has it only means that the counter has moved on.
        return work.create(Parent, newId('client'), [parentOpened(String(used + 1), `${name} ${used + 1}`)]);
      });

    it('give every number once and leave no gap, however many ask at once', async () => {
      const written = await Promise.all(Array.from({ length: 40 }, () => numbered(store.store, 'numbers')));
      const numbers = written.map(({ record }) => Number(record.data.name)).sort((a, b) => a - b);
      expect(numbers).toEqual(numbers.map((_, index) => index + 1));
    });

    it('give every number once and leave no gap between two processes, where some commands are refused', async () => {
      const other = openStore(store.url, [Parent]);
      const outcomes = await Promise.allSettled(
        Array.from({ length: 30 }, (_, index) => numbered(index % 2 ? store.store : other.store, 'shared')),
      );
      await other.close();
      const numbers = outcomes
        .flatMap((outcome) =>
          outcome.status === 'fulfilled' ? [Number(outcome.value.record.data.name)] : [],
        )
        .sort((a, b) => a - b);
      expect(numbers).toEqual(numbers.map((_, index) => index + 1));
      for (const outcome of outcomes) {
        if (outcome.status === 'rejected') expect(outcome.reason.code).toBe('concurrent_update');
      }
    });

    it('may be counted several times by one command', async () => {
      await store.store.execute(context, async (work) => {
        const { used } = await work.load({ used: counter('several') });
        work.count('several', used, used + 1);
        work.count('several', used + 1, used + 2);
        return work.create(Parent, newId('client'), [parentOpened()]);
      });
      expect(await store.loader.load(context.tenant.id, [counter('several')])).toEqual([2]);
    });
  });

  describe('natural keys', () => {
    const holder = async (key: string) =>
      (await store.loader.load(context.tenant.id, [holderOf('code', key)]))[0];

    it('are held by one stream, and released when it is deleted', async () => {
      const { record } = await openParent(store.store, context, { code: 'A' });
      expect(await holder('A')).toBe(toUuid(record.id));
      const second = openParent(store.store, context, { code: 'A' });
      await expect(second).rejects.toMatchObject({ fault: 'conflict', code: 'code_taken' });

      await store.store.execute(context, async (work) => {
        const { parent } = await work.load({ parent: at(Parent, record.id) });
        return work.change(Parent, parent!, [{ type: 'ParentDeleted', data: {} }]);
      });
      expect(await holder('A')).toBeUndefined();
      await openParent(store.store, context, { code: 'A' });
    });

    it('go to only one of many streams that want them at once', async () => {
      const outcomes = await Promise.allSettled(
        Array.from({ length: 20 }, () => openParent(store.store, context, { code: 'B' })),
      );
      expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    });

    it('cannot go to two streams of one command', async () => {
      const both = store.store.execute(context, async (work) => {
        work.create(Parent, newId('client'), [parentOpened('one', 'C')]);
        return work.create(Parent, newId('client'), [parentOpened('two', 'C')]);
      });
      await expect(both).rejects.toMatchObject({ code: 'code_taken' });
      expect(await holder('C')).toBeUndefined();
    });

    it('are free in another tenant', async () => {
      await openParent(store.store, context, { code: 'D' });
      await openParent(store.store, await createContext(store), { code: 'D' });
    });
  });
});
