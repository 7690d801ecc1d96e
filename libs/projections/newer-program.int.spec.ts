import { Logger } from '@nestjs/common';
import type { RequestContext } from '#platform/request-context';
import { Division } from '#practice/divisions/division';
import { CreateDivision, CreateDivisionHandler } from '#practice/divisions/division.commands';
import { divisionsProjection } from '#practice/divisions/division.projection';
import { createContext, createTestStore, type TestStore } from '../../test/support/store';
import { waitFor } from '../../test/support/wait-for';
import type { Projection } from './projection';
import { projectionParts } from './testing/parts';

const newer: Projection = { ...divisionsProjection, version: divisionsProjection.version + 1 };

describe('a read model that a newer program has built', () => {
  let store: TestStore;
  let context: RequestContext;
  let programs: ReturnType<typeof projectionParts>[];
  let errors: jest.SpyInstance;

  beforeEach(async () => {
    store = await createTestStore([Division]);
    context = await createContext(store);
    programs = [];
    errors = jest.spyOn(Logger.prototype, 'error').mockImplementation();
    jest.spyOn(Logger.prototype, 'log').mockImplementation();
  });
  afterEach(async () => {
    await Promise.all(programs.map(({ bus }) => bus.onApplicationShutdown()));
    await store.close();
    jest.restoreAllMocks();
  });

  function start(projection: Projection) {
    const parts = projectionParts(store, [projection]);
    parts.status.onModuleInit();
    parts.runner.start();
    programs.push(parts);
    return parts;
  }
  const create = (name: string) =>
    new CreateDivisionHandler(store.store).execute(new CreateDivision(context, { name }));
  const names = async () => {
    const { rows } = await store.reads.pool.query<{ name: string }>(
      `select d.name from read_model.divisions d
       where d.generation = read_model.live_generation('divisions', d.tenant_id) order by 1`,
    );
    return rows.map(({ name }) => name);
  };
  const shows = (...expected: string[]) =>
    waitFor(async () => String(await names()) === String(expected), {
      description: `the names ${expected} to be shown`,
    });
  const said = () => errors.mock.calls.map(([line]) => line);

  it('is no longer written by an older program that still runs, which gives its partitions back', async () => {
    const old = start(divisionsProjection);
    await create('A');
    await shows('A');
    expect(await old.health.degraded()).toEqual([]);
    await projectionParts(store, [newer]).rebuild.rebuild('divisions');
    await create('B');
    await waitFor(() => said().length > 0, { description: 'the old program to give way' });
    expect(said()).toEqual([expect.stringMatching('A newer program has built divisions')]);
    expect(await old.health.degraded()).toEqual(['divisions: built by a newer program']);
    expect(await names()).toEqual(['A']);
    start(newer);
    await shows('A', 'B');
  });

  it('is written by an older program again after that has rebuilt it and was started again', async () => {
    await projectionParts(store, [newer]).rebuild.rebuild('divisions');
    const old = start(divisionsProjection);
    await create('A');
    await waitFor(() => said().length > 0, { description: 'the old program to give way' });
    await old.rebuild.rebuild('divisions');
    start(divisionsProjection);
    await create('B');
    await shows('A', 'B');
    expect(said()).toHaveLength(1);
  });
});
