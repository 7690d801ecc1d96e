import { Logger } from '@nestjs/common';
import { divisionsProjection } from '#practice/divisions/division.projection';
import { waitFor } from '../../../test/support/wait-for';
import { CheckpointMoved } from '../checkpoints';
import type { Projection } from '../projection';
import { Divisions } from '../testing/divisions';
import { expectExact } from '../testing/expect-exact';
import { NotFilled } from './live-fill';
import { ReturningTenants } from './returning-tenants';

describe('a tenant with a generation of its own', () => {
  let divisions: Divisions;
  let parts: ReturnType<Divisions['parts']>;
  let errors: jest.SpyInstance;

  beforeEach(async () => {
    jest.spyOn(Logger.prototype, 'log').mockImplementation();
    errors = jest.spyOn(Logger.prototype, 'error').mockImplementation();
    // All tenants in one partition.
    divisions = await Divisions.open(3, 5);
    parts = divisions.parts();
  });
  afterEach(async () => {
    await divisions.close();
    jest.restoreAllMocks();
  });

  const tenant = (index = 1) => parts.tenants.get(divisions.contexts[index].tenant.alias);
  const idOf = (index: number) => divisions.contexts[index].tenant.id;
  const separate = async (index = 1) => {
    const { alias } = await tenant(index);
    for (const name of ['divisions', 'tally']) await parts.rebuild.rebuild(name, { tenant: alias });
  };
  /** The generations that serve the tenant's reads. */
  const serving = async (index = 1) =>
    (
      await divisions.rows<{ generation: number }>(
        `select read_model.live_generation(p, $1) as generation from unnest(array['divisions', 'tally']) p`,
        [idOf(index)],
      )
    ).map(({ generation }) => generation);
  /** The generations that have rows of the tenant. */
  const filled = async (index = 1) =>
    (
      await divisions.rows<{ generation: number }>(
        `select generation from read_model.divisions where tenant_id = $1
         union select generation from read_model.tally where tenant_id = $1 order by 1`,
        [idOf(index)],
      )
    ).map(({ generation }) => generation);
  /** Everything that tells of a track or a generation, besides those of all tenants. */
  const traces = () =>
    divisions.rows(
      `select 'checkpoint' as kind, generation from read_model.checkpoints
       where (generation, tenant_id) <> (1, 0) and projection in ('divisions', 'tally')
       union all select 'live', generation from read_model.live
       where (generation, tenant_id) <> (1, 0) and projection in ('divisions', 'tally')
       union all select 'generation', generation from read_model.generations
       where generation <> 1 and projection in ('divisions', 'tally')
       union all select 'table', 2 from pg_class
       where relnamespace = 'read_model'::regnamespace and relname ~ '^(divisions|tally)_g[^1]'`,
    );

  it('is brought back to the others with all of its rows, and nothing of its generation is left', async () => {
    parts.runner.start();
    const renames = await divisions.createMany(0, 30);
    await expectExact(divisions.store);
    const before = await divisions.shown('divisions');
    await separate();
    await separate(2);
    expect(await serving()).toEqual([2, 2]);
    expect(await parts.returning.away()).toEqual([idOf(1), idOf(2)]);

    expect(await parts.returning.bringBack(await tenant())).toEqual(['divisions', 'tally']);
    expect([await serving(), await filled(), await serving(2)]).toEqual([[1, 1], [1], [3, 3]]);
    expect(await divisions.shown('divisions')).toEqual(before);
    expect(await parts.returning.away()).toEqual([idOf(2)]);
    await parts.returning.bringBack(await tenant(2));
    expect(await traces()).toEqual([]);

    await Promise.all(renames.map((rename) => rename('Once')));
    await expectExact(divisions.store);
    expect(await parts.returning.bringBack(await tenant())).toEqual([]);
    expect(errors).not.toHaveBeenCalled();
  });

  it('loses and repeats nothing, and never goes back to an earlier state, while it is written to', async () => {
    parts.runner.start();
    let writing = true;
    let written = 0;
    const writers = divisions.contexts.map(async (_, index) => {
      for (let number = index; writing; number += 3, written++)
        await (await divisions.create(number))('Renamed');
    });
    const seen: number[] = [];
    const reader = (async () => {
      while (writing) {
        const [{ sum }] = await divisions.rows<{ sum: string | null }>(
          `select sum(events) from read_model.tally t
           where tenant_id = $1 and generation = (select read_model.live_generation('tally', $1))`,
          [idOf(1)],
        );
        seen.push(Number(sum));
      }
    })();
    for (let round = 0; round < 2; round++) {
      const target = written + 30;
      await waitFor(() => written >= target, { description: '30 more divisions' });
      await separate();
      expect(await parts.returning.bringBack(await tenant())).toEqual(['divisions', 'tally']);
    }
    writing = false;
    await Promise.all([...writers, reader]);
    await expectExact(divisions.store);
    expect(seen).toEqual(seen.toSorted((a, b) => a - b));
    expect(await traces()).toEqual([]);
    expect(errors).not.toHaveBeenCalled();
  });

  it('stays where it is when the process ends meanwhile, and is brought back by the next one', async () => {
    parts.runner.start();
    await divisions.append(1_500);
    await expectExact(divisions.store);
    await separate();
    const ending = new AbortController();
    const ended = parts.returning.bringBack(await tenant(), ending.signal);
    await waitFor(async () => (await filled()).includes(1), { description: 'the first rows' });
    ending.abort(new Error('the process ends'));
    await expect(ended).rejects.toThrow();
    expect(await serving()).toEqual([2, 2]);
    await expectExact(divisions.store);

    const another = divisions.parts();
    await waitFor(async () => (await another.returning.bringBack(await tenant())).length > 0, {
      description: 'the locks of the ended process to be free',
    });
    await expectExact(divisions.store);
    expect(await traces()).toEqual([]);
  });

  it('leaves nothing that is taken for a rebuild when the process ends before its tables are dropped', async () => {
    parts.runner.start();
    await divisions.createMany(0, 6);
    await expectExact(divisions.store);
    await separate();
    const reader = await divisions.store.reads.session();
    await reader.query('begin; select from read_model.divisions limit 1');
    const ending = new AbortController();
    const ended = parts.returning.bringBack(await tenant(), ending.signal);
    await waitFor(async () => (await serving()).every((one) => one === 1), { description: 'the return' });
    ending.abort(new Error('the process ends'));
    await expect(ended).rejects.toThrow();
    await reader.end();
    await waitFor(
      async () => {
        for (const name of ['divisions', 'tally']) await parts.rebuild.resume(name);
        return (await traces()).length === 0;
      },
      { description: 'the tables to be dropped' },
    );
    expect(await serving()).toEqual([1, 1]);
    await expectExact(divisions.store);
  });

  it('is not brought back before the others are as far as it is', async () => {
    parts.runner.start();
    await divisions.createMany(0, 6);
    await expectExact(divisions.store);
    await separate();
    await parts.runner.stop();
    const holder = await divisions.store.reads.session();
    await holder.query(
      `begin; select from read_model.live where projection = 'tally' and tenant_id = 0 for update`,
    );
    let isBack = false;
    const back = tenant()
      .then((one) => parts.returning.bringBack(one))
      .then(() => {
        isBack = true;
      });
    const waiting = () =>
      divisions.rows(
        `select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`,
      );
    await waitFor(async () => (await waiting()).length > 0, { description: 'the counts to be joined' });
    await divisions.create(3);
    // As a projector moves the tenant's track past an event of another tenant, before it moves the others' track.
    await holder.query(
      `update read_model.checkpoints c set transaction_id = e.transaction_id, position = e.position
       from (select * from event_store.events order by position desc limit 1) e
       where c.tenant_id = $1 and c.generation = 2 and c.projection = 'tally'`,
      [idOf(1)],
    );
    await holder.query('commit');
    await waitFor(async () => (await waiting()).length === 0, { description: 'the first attempt' });
    await holder.query('begin; select from read_model.live for update');
    expect([await serving(), isBack]).toEqual([[1, 2], false]);
    await holder.end();
    parts.runner.start();
    await back;
    expect(await serving()).toEqual([1, 1]);
    await expectExact(divisions.store);
  });

  it('is left alone once it is held for a promotion, or parked', async () => {
    parts.runner.start();
    await divisions.createMany(0, 6);
    await expectExact(divisions.store);
    await separate();
    const other = divisions.parts();
    const { id, partition } = await tenant();
    const holder = await divisions.store.reads.session();
    // Joining waits for this lock, and finds the hold behind it.
    await holder.query(`begin; select from read_model.live where projection = 'divisions' and tenant_id = 0 for update;
      insert into read_model.held (projection, tenant_id, is_new) values ('divisions', ${id}, false);
      update read_model.live set revision = revision + 1 where projection = 'divisions' and tenant_id = 0`);
    const back = other.returning.bringBack(await tenant()).catch((error: Error) => error);
    await waitFor(async () => (await filled()).includes(1), { description: 'the rows' });
    await waitFor(
      async () =>
        (
          await divisions.rows(
            `select from read_model.checkpoints where tenant_id = $1 and generation = 1 and partition = $2`,
            [id, partition],
          )
        ).length === 2,
      { description: 'the checkpoints' },
    );
    await holder.query('commit');
    await holder.end();
    expect(await back).toBeInstanceOf(CheckpointMoved);
    expect(await serving()).toEqual([2, 2]);
    await divisions.rows(`delete from read_model.held where tenant_id = $1`, [id]);
    await divisions.rows(
      `insert into read_model.parked (projection, tenant_id, event_id, event_type, error)
       values ('divisions', $1, gen_random_uuid(), 'DivisionCreated', 'cannot')`,
      [id],
    );
    expect(await parts.returning.bringBack(await tenant())).toEqual(['tally']);
    expect(await serving()).toEqual([2, 1]);
  });

  it('keeps its generation when its rows cannot be made anew', async () => {
    parts.runner.start();
    await divisions.createMany(0, 6);
    await expectExact(divisions.store);
    await separate();
    const refuses = () => {
      throw new Error('cannot apply this');
    };
    const refusing: Projection = { ...divisionsProjection, rows: refuses };
    const { returning } = divisions.parts([refusing, divisions.tally]);
    await expect(returning.bringBack(await tenant())).rejects.toBeInstanceOf(NotFilled);
    expect([await serving(), await filled()]).toEqual([[2, 2], [2]]);
  });

  it('is left alone while the read model is being rebuilt, or by a program of another version', async () => {
    parts.runner.start();
    await divisions.createMany(0, 6);
    await separate();
    const session = await divisions.store.reads.session();
    await session.query(`select pg_advisory_lock(hashtextextended('rebuild divisions', 0))`);
    expect(await parts.returning.bringBack(await tenant())).toEqual(['tally']);
    await session.end();
    const older = divisions.parts([{ ...divisionsProjection, version: divisionsProjection.version + 1 }]);
    expect(await older.returning.away()).toEqual([]);
    expect(await parts.returning.away()).toEqual([idOf(1)]);
  });

  it('is brought back without being asked for', async () => {
    parts.runner.start();
    await divisions.createMany(0, 6);
    await separate();
    await separate(2);
    const returning = new ReturningTenants(parts.returning, parts.tenants);
    returning.start(20);
    await waitFor(async () => (await traces()).length === 0, { description: 'both tenants to be back' });
    await returning.onApplicationShutdown();
    await expectExact(divisions.store);
    expect(errors).not.toHaveBeenCalled();
  });
});
