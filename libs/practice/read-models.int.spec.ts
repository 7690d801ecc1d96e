import { Clock } from '#kernel/clock';
import type { RequestContext } from '#platform/request-context';
import { projectionParts } from '#projections/testing/parts';
import { createTestStore, type TestStore } from '../../test/support/store';
import { waitFor } from '../../test/support/wait-for';
import { definitions, projections } from './areas';
import { CreateDivision, CreateDivisionHandler } from './divisions/division.commands';
import { createFirm } from './testing/firm';

it('every read model of a new database has the latest version, and so is not rebuilt', async () => {
  const store = await createTestStore(definitions);
  const { rows } = await store.reads.pool.query(
    'select projection as name, version from read_model.generations order by 1',
  );
  await store.close();
  const latest = projections.map(({ name, version }) => ({ name, version }));
  expect(rows).toEqual(latest.sort((a, b) => (a.name < b.name ? -1 : 1)));
});

it('queries of a read model are planned as if all rows belonged to one tenant', async () => {
  const store = await createTestStore(definitions);
  const { rows } = await store.reads.pool.query<{ name: string }>(
    `select attrelid::regclass::text as name from pg_attribute
     where attname = 'tenant_id' and 'n_distinct=1' = any(attoptions)`,
  );
  await store.close();
  const tables = projections.flatMap(({ tables }) => tables);
  const names = tables.flatMap(({ name }) => [`read_model.${name}`, `read_model.${name}_g1`]);
  expect(rows.map(({ name }) => name)).toEqual(expect.arrayContaining(names));
});

it('queries of a new database are not planned as if its tables were empty', async () => {
  const store = await createTestStore(definitions);
  const { rows } = await store.reads.pool.query(
    `select oid::regclass from pg_class
     where relnamespace = 'read_model'::regnamespace and relkind = 'r' and relispartition and reltuples = 0`,
  );
  await store.close();
  expect(rows).toEqual([]);
});

describe('rebuilding a read model', () => {
  let store: TestStore;
  let context: RequestContext;
  let parts: ReturnType<typeof projectionParts>;

  beforeAll(async () => {
    store = await createTestStore(definitions);
    context = await createFirm(store);
    parts = projectionParts(store, projections);
    parts.runner.start();
  });
  afterAll(async () => {
    await parts.bus.onApplicationShutdown();
    await store.close();
  });

  const create = (name: string) =>
    new CreateDivisionHandler(store.store).execute(new CreateDivision(context, { name }));
  const names = async () => {
    const { rows } = await store.reads.pool.query<{ name: string; generation: number }>(
      `select d.name, d.generation from read_model.divisions d
       where d.generation = (select read_model.live_generation('divisions', $1)) order by d.name`,
      [context.tenant.id],
    );
    return rows;
  };

  it('leaves the same rows in a new generation, which the projector then continues', async () => {
    for (let number = 0; number < 20; number++) await create(`Division ${String(number).padStart(2, '0')}`);
    await waitFor(async () => (await names()).length === 20, { description: '20 divisions to be shown' });
    const before = await names();

    const rebuilt = await parts.rebuild.rebuild('divisions');
    expect(rebuilt).toMatchObject({ name: 'divisions', generation: 2 });
    const after = await names();
    expect(after).toEqual(before.map(({ name }) => ({ name, generation: 2 })));
    expect(await parts.status.list()).toContainEqual({
      name: 'divisions',
      version: 1,
      generation: 2,
      lag: expect.any(Number),
      parked: [],
      held: [],
    });

    await create('Later');
    await waitFor(async () => (await names()).some(({ name }) => name === 'Later'), {
      description: 'the projector to continue the new generation',
    });
    const { rows } = await store.reads.pool.query(`select to_regclass('read_model.divisions_g1') as gone`);
    expect(rows[0].gone).toBeNull();
  });

  it('loses nothing that is written while it runs', async () => {
    const writes = Promise.all(Array.from({ length: 60 }, (_, number) => create(`During ${number}`)));
    await parts.rebuild.rebuild('divisions');
    await writes;
    await waitFor(async () => (await names()).filter(({ name }) => name.startsWith('During')).length === 60, {
      description: 'all divisions to be shown',
    });
  });

  it('is refused while another rebuild of the same read model runs, and for an unknown name', async () => {
    // Whichever comes first cannot end before the other was refused.
    const holder = await store.reads.session();
    await holder.query(`begin; select from read_model.live where projection = 'people' for update`);
    const both = [parts.rebuild.rebuild('people'), parts.rebuild.rebuild('people')];
    await expect(Promise.race(both)).rejects.toMatchObject({ code: 'rebuild_running' });
    await holder.end();
    const outcomes = await Promise.allSettled(both);
    expect(outcomes.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
    await expect(parts.rebuild.rebuild('nothing')).rejects.toMatchObject({ code: 'unknown_projection' });
  });

  it('the status shows how far each read model is behind', async () => {
    const now = new Date(Date.now() + 60_000);
    const clock = { now: () => now } as Clock;
    const { status } = projectionParts(store, projections, clock);
    await waitFor(async () => (await status.list()).every(({ lag }) => lag === 0), {
      description: 'every read model to be without lag',
    });
    await parts.runner.stop();
    await create('Unseen');
    await waitFor(async () => (await status.list()).every(({ lag }) => lag >= 59), {
      description: 'every read model to be behind',
    });
  });
});
