import { Logger } from '@nestjs/common';
import { createContext } from '../../../test/support/store';
import { waitFor } from '../../../test/support/wait-for';
import { Divisions } from '../testing/divisions';
import { expectExact } from '../testing/expect-exact';
import type { projectionParts } from '../testing/parts';

const TENANTS = 3;
const NAMES = ['divisions', 'tally'];

describe('rebuilding the read model of one tenant', () => {
  let divisions: Divisions;
  let parts: ReturnType<typeof projectionParts>;
  let errors: jest.SpyInstance;

  beforeEach(async () => {
    jest.spyOn(Logger.prototype, 'log').mockImplementation();
    errors = jest.spyOn(Logger.prototype, 'error').mockImplementation();
    divisions = await Divisions.open(TENANTS);
    parts = divisions.parts();
  });
  afterEach(async () => {
    await divisions.close();
    jest.restoreAllMocks();
  });

  const tenant = (index: number) => divisions.contexts[index].tenant;
  /** Number of rows in each generation's tables, by tenant. */
  const held = () =>
    divisions.rows<{ generation: number; tenant: number; count: number }>(
      `select generation, tenant_id as tenant, count(*)::int as count from read_model.divisions
       group by 1, 2 order by 1, 2`,
    );
  const expected = (...generations: number[]) =>
    generations
      .map((generation, index) => ({ generation, tenant: tenant(index).id, count: 10 }))
      .sort((a, b) => a.generation - b.generation || a.tenant - b.tenant);
  const rebuildBoth = async (alias?: string) => {
    for (const name of NAMES) await parts.rebuild.rebuild(name, { tenant: alias });
  };

  it('serves it from a generation of its own until a full rebuild brings all tenants together again', async () => {
    parts.runner.start();
    const renames = await divisions.createMany(0, 30);
    await expectExact(divisions.store);
    const before = await divisions.shown('divisions');
    expect(await held()).toEqual(expected(1, 1, 1));

    for (const name of NAMES) {
      const rebuilt = await parts.rebuild.rebuild(name, { tenant: tenant(1).alias });
      expect(rebuilt).toMatchObject({ name, tenant: tenant(1).alias, generation: 2, events: 10 });
    }
    expect(await divisions.shown('divisions')).toEqual(before);
    expect(await held()).toEqual(expected(1, 2, 1));

    await Promise.all(renames.map((rename) => rename('Once')));
    await expectExact(divisions.store);
    expect(await held()).toEqual(expected(1, 2, 1));

    await rebuildBoth(tenant(1).alias);
    await rebuildBoth(tenant(2).alias);
    expect(await held()).toEqual(expected(1, 3, 4));
    await Promise.all(renames.map((rename) => rename('Twice')));
    await expectExact(divisions.store);

    await rebuildBoth();
    expect(await held()).toEqual(expected(5, 5, 5));
    await Promise.all(renames.map((rename) => rename('Again')));
    await expectExact(divisions.store);
    const tracks = await divisions.rows(
      `select distinct generation, tenant_id from read_model.checkpoints
       union select generation, tenant_id from read_model.live where projection in ('divisions', 'tally')`,
    );
    expect(tracks).toEqual([{ generation: 5, tenant_id: 0 }]);
    expect((await parts.status.list()).map(({ generation }) => generation)).toEqual([5, 5]);
    expect(errors).not.toHaveBeenCalled();
  });

  it('loses and duplicates nothing while writes go on', async () => {
    parts.runner.start();
    let writing = true;
    let written = 0;
    const writers = divisions.contexts.map(async (_, index) => {
      for (let number = index; writing; number += TENANTS, written++) {
        await (await divisions.create(number))('Renamed');
      }
    });
    const aliases = [tenant(0).alias, tenant(1).alias, tenant(0).alias, undefined, tenant(2).alias];
    for (const alias of aliases) {
      const target = written + 30;
      await waitFor(() => written >= target, { description: '30 more divisions' });
      await rebuildBoth(alias);
    }
    writing = false;
    await Promise.all(writers);
    await expectExact(divisions.store);
    expect(errors).not.toHaveBeenCalled();
  });

  it('removes what an interrupted rebuild has left in the main generation', async () => {
    parts.runner.start();
    await divisions.createMany(0, 30);
    await expectExact(divisions.store);
    await parts.rebuild.rebuild('divisions', { tenant: tenant(1).alias });
    await divisions.rows(
      `insert into read_model.divisions
       select (jsonb_populate_record(d, '{"generation": 1}')).* from read_model.divisions d where generation = 2`,
    );
    expect(await held()).toHaveLength(4);
    await parts.rebuild.rebuild('divisions', { tenant: tenant(0).alias });
    expect(await held()).toEqual(expected(3, 2, 1));
  });

  it('is refused for an unknown tenant', async () => {
    await expect(parts.rebuild.rebuild('divisions', { tenant: 'nobody' })).rejects.toMatchObject({
      code: 'tenant_not_found',
    });
  });

  it('shows tenants that appear later in the main generation', async () => {
    parts.runner.start();
    await divisions.createMany(0, 3);
    await rebuildBoth(tenant(0).alias);
    divisions.contexts.push(await createContext(divisions.store));
    await divisions.createMany(0, 4);
    await expectExact(divisions.store);
    expect((await held()).at(-1)).toEqual({ generation: 2, tenant: tenant(0).id, count: 2 });
  });
});
