import type { DomainEvent, StreamDefinition } from '#kernel/decider';
import { type Id, newId } from '#kernel/ids';
import type { RequestContext } from '#platform/request-context';
import { createContext, createTestStore, type TestStore } from '../../test/support/store';
import type { Folded } from './events';
import { type Ask, along, at, holding, linkedTo } from './load';
import { Person } from './testing/streams';

interface StepState {
  name: string;
  next: string | null;
}

/** A stream that refers to the next stream of a chain. */
const Step: StreamDefinition<StepState, DomainEvent<'StepTaken', StepState>> = {
  kind: 'role',
  foldVersion: 1,
  events: { StepTaken: [] },
  isDeleted: () => false,
  links: ({ next }) => (next ? [{ kind: 'next', target: next }] : []),
  keys: ({ name }) => [{ kind: 'step', key: name }],
  evolve: (_, event) => event.data,
};

describe('streams that are related to another', () => {
  let store: TestStore;
  let context: RequestContext;
  beforeAll(async () => {
    store = await createTestStore([Step, Person]);
    context = await createContext(store);
  });
  afterAll(() => store.close());

  const step = async (name: string, next: Id | null = null, as = context) =>
    (
      await store.store.execute(as, async (work) =>
        work.create(Step, newId('role'), [{ type: 'StepTaken', data: { name, next } }]),
      )
    ).record.id;
  const ask = async <Answer>(question: Ask<Answer>, as = context) =>
    (await store.loader.load(as.tenant.id, [question]))[0] as Answer;
  const names = (found: Folded<StepState>[]) => found.map(({ data }) => data.name).sort();

  it('are found along two fields, by a natural key, and by their links', async () => {
    const last = await step('last');
    const middle = await step('middle', last);
    const first = await step('first', middle);
    await step('other', middle);
    expect((await ask(along(Step, first, ['next', 'next'])))?.data.name).toBe('last');
    expect(await ask(along(Step, middle, ['next', 'next']))).toBeUndefined();
    expect((await ask(holding(Step, { kind: 'step', key: 'middle' })))?.id).toBe(middle);
    expect(await ask(holding(Step, { kind: 'step', key: 'nobody' }))).toBeUndefined();
    expect(names(await ask(linkedTo(Step, middle, ['next'])))).toEqual(['first', 'other']);
    expect(names(await ask(linkedTo(Step, first, ['next'], 'next')))).toEqual(['first', 'other']);
    expect(await ask(linkedTo(Step, middle, ['elsewhere']))).toEqual([]);
    expect(await ask(linkedTo(Step, last, ['next'], 'next'))).toEqual([]);
    const nothing = await store.loader.load(context.tenant.id, [
      at(Step, null),
      linkedTo(Step, null, ['next']),
    ]);
    expect(nothing).toEqual([undefined, []]);
    expect(await ask(linkedTo(Person, middle, ['next']))).toEqual([]);
    const stranger = await createContext(store);
    expect(await ask(linkedTo(Step, middle, ['next']), stranger)).toEqual([]);
    expect(await ask(holding(Step, { kind: 'step', key: 'middle' }), stranger)).toBeUndefined();
  });

  it('guard the decision that is made with them', async () => {
    const target = await step('target');
    const linked = await step('linked', target);
    const seen: string[][] = [];
    await store.store.execute(context, async (work) => {
      const { found } = await work.load({ found: linkedTo(Step, target, ['next']) });
      seen.push(names(found));
      if (seen.length === 1) {
        await store.store.execute(context, async (meanwhile) => {
          const { before } = await meanwhile.load({ before: at(Step, linked) });
          return meanwhile.change(Step, before!, [
            { type: 'StepTaken', data: { name: 'moved', next: target } },
          ]);
        });
      }
      return work.create(Step, newId('role'), [{ type: 'StepTaken', data: { name: 'new', next: null } }]);
    });
    expect(seen).toEqual([['linked'], ['moved']]);
  });

  it('are read in one statement with everything else', async () => {
    const target = await step('alone');
    const query = jest.spyOn(store.writes.pool, 'query');
    await store.loader.load(context.tenant.id, [
      at(Step, target),
      linkedTo(Step, target, ['next']),
      along(Step, target, ['next', 'next']),
    ]);
    const asked = query.mock.calls.filter(([first]) => JSON.stringify(first).includes('event_store.load'));
    expect(asked).toHaveLength(1);
    query.mockRestore();
  });

  it('tells all natural keys of a kind of one tenant, in their order', async () => {
    const own = await createContext(store);
    const names = Array.from({ length: 201 }, (_, n) => `${1000 + n}`);
    await Promise.all(names.map((name) => step(name, null, own)));
    const keys: string[] = [];
    for await (const some of store.loader.keysOf(own.tenant.id, 'step')) keys.push(...some);
    expect(keys).toEqual(names);
  });
});
