import { toUuid } from '#kernel/ids';
import type { RequestContext } from '#platform/request-context';
import { createContext, createTestStore, type TestStore } from '../../../test/support/store';
import { DEFAULT_DIVISION, Division } from './division';
import {
  CreateDivision,
  CreateDivisionHandler,
  DeactivateDivision,
  DeactivateDivisionHandler,
  UpdateDivision,
  UpdateDivisionHandler,
} from './division.commands';

describe('divisions on a real store', () => {
  let store: TestStore;
  let context: RequestContext;
  beforeAll(async () => {
    store = await createTestStore([Division]);
    context = await createContext(store);
  });
  afterAll(() => store.close());

  const create = (name: string, more = {}) =>
    new CreateDivisionHandler(store.store).execute(new CreateDivision(context, { name, ...more }));

  it('pass the default from one to the other in one append', async () => {
    const first = await create('First', { isDefault: true });
    const second = await create('Second');
    await new UpdateDivisionHandler(store.store).execute(
      new UpdateDivision(context, second.record.id, { isDefault: true }),
    );
    const states = await Promise.all(
      [first, second].map(({ record }) =>
        store.loader.foldEvents(Division, context.tenant.id, record.id.slice(9)),
      ),
    );
    expect(
      states.map((folded) => folded?.data).map((state) => (state as { isDefault: boolean }).isDefault),
    ).toEqual([false, true]);
  });

  it.each([1, 2, 3])('take the default even if another got it just before step %d', async (step) => {
    const [own, faster] = [await create(`Own ${step}`), await create(`Faster ${step}`)];
    const make = ({ record }: typeof own) =>
      new UpdateDivisionHandler(store.store).execute(
        new UpdateDivision(context, record.id, { isDefault: true }),
      );
    const load = store.loader.load.bind(store.loader);
    const append = store.appender.append.bind(store.appender);
    let steps = 0;
    const meanwhile = async () => {
      if (++steps === step) await make(faster);
    };
    jest.spyOn(store.loader, 'load').mockImplementation((...asks) => meanwhile().then(() => load(...asks)));
    jest.spyOn(store.appender, 'append').mockImplementation((job) => meanwhile().then(() => append(job)));
    const { record } = await make(own).finally(() => jest.restoreAllMocks());
    expect(record.data.isDefault).toBe(true);
    const { rows } = await store.writes.pool.query(
      'select stream_id from event_store.reservations where tenant_id = $1 and kind = $2',
      [context.tenant.id, DEFAULT_DIVISION.kind],
    );
    expect(rows).toEqual([{ stream_id: toUuid(own.record.id) }]);
  });

  it('cannot all be deactivated when two requests come at once', async () => {
    const other = await createContext(store);
    const both = await Promise.all(
      ['One', 'Two'].map((name) =>
        new CreateDivisionHandler(store.store).execute(new CreateDivision(other, { name })),
      ),
    );
    const outcomes = await Promise.allSettled(
      both.map(({ record }) =>
        new DeactivateDivisionHandler(store.store).execute(new DeactivateDivision(other, record.id)),
      ),
    );
    expect(outcomes.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
  });
});
