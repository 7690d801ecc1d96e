import { Logger } from '@nestjs/common';
import { definitions, projections } from '#practice/areas';
import { createFirm } from '#practice/testing/firm';
import { liveFirm } from '#practice/testing/firm-life';
import { createTestStore } from '../../../test/support/store';
import { waitFor } from '../../../test/support/wait-for';
import { live } from '../live';
import { Divisions } from '../testing/divisions';
import { expectExact } from '../testing/expect-exact';
import { projectionParts } from '../testing/parts';
import type { RebuildProgress } from './rebuild-run';

/** Indexes of a generation's table without their names, and whether they are attached to those of the read table. */
const INDEXES = `
  select regexp_replace(pg_get_indexdef(i.indexrelid), 'INDEX .* USING', 'INDEX USING') as definition,
    i.indisprimary as primary, exists (select from pg_inherits h where h.inhrelid = i.indexrelid) as attached
  from pg_index i where i.indrelid = to_regclass($1) order by 1`;

/** Columns of a table with their statistics options. */
const COLUMNS = `
  select attname, attoptions from pg_attribute
  where attrelid = to_regclass($1) and attnum > 0 and not attisdropped order by attnum`;

const WAITING = `
  select backend_xid from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`;

describe('rebuilding a read model', () => {
  let divisions: Divisions;
  let errors: jest.SpyInstance;

  beforeEach(async () => {
    jest.spyOn(Logger.prototype, 'log').mockImplementation();
    errors = jest.spyOn(Logger.prototype, 'error').mockImplementation();
    divisions = await Divisions.open();
  });
  afterEach(async () => {
    await divisions.close();
    jest.restoreAllMocks();
  });

  const generation = async () => {
    const [row] = await divisions.rows<{ live: number }>(
      `select read_model.live_generation('divisions', 0) as live`,
    );
    return row.live;
  };

  it('makes the same rows, columns and indexes again for every projection, twice', async () => {
    const store = await createTestStore(definitions);
    const { runner, rebuild, status, bus } = projectionParts(store, projections);
    const rows = async (sql: string, values?: unknown[]) => (await store.reads.pool.query(sql, values)).rows;
    const look = async (generation: number) => {
      const found: Record<string, object[]> = {};
      for (const { name } of projections.flatMap(({ tables }) => tables)) {
        const own = `read_model.${name}_g${generation}`;
        found[name] = await rows(`select to_jsonb(t) - 'generation' as row from ${own} t order by 1`);
        found[`${name}, columns`] = await rows(COLUMNS, [own]);
        found[`${name}, indexes`] = await rows(INDEXES, [own]);
      }
      return found;
    };
    try {
      for (let firm = 0; firm < 2; firm++) await liveFirm(store.store, await createFirm(store));
      runner.start();
      await waitFor(async () => (await status.list()).every(({ lag }) => lag === 0), {
        description: 'all events to show',
      });
      const before = await look(1);
      expect(Object.values(before).every(({ length }) => length > 0)).toBe(true);
      for (const generation of [2, 3]) {
        for (const name of rebuild.names) {
          expect(await rebuild.rebuild(name)).toMatchObject({ name, tenant: null, generation });
        }
        expect(await look(generation)).toEqual(before);
      }
      const left = await rows(`select distinct generation from read_model.generations
        union select generation from read_model.checkpoints union select generation from read_model.live
        union select substring(relname from '_g(\\d+)$')::int from pg_class where relname ~ '_g\\d+$'`);
      expect(left).toEqual([{ generation: 3 }]);
    } finally {
      await bus.onApplicationShutdown();
      await store.close();
    }
  });

  it('leaves the number of rows of an empty one unknown to the planner', async () => {
    await divisions.parts().rebuild.rebuild('divisions');
    const [{ rows }] = await divisions.rows<{ rows: number }>(
      `select reltuples as rows from pg_class where oid = 'read_model.divisions_g2'::regclass`,
    );
    // -1: not known yet.
    expect(rows).toBe(-1);
  });

  it('folds many streams of many tenants, chunk by chunk, and tells how far it is', async () => {
    await divisions.append(3_000);
    const { rebuild, runner } = divisions.parts();
    const seen: RebuildProgress[] = [];
    const { events, milliseconds } = await rebuild.rebuild('divisions', {
      progress: (progress) => seen.push({ ...progress }),
    });
    expect(events).toBe(18_000);
    expect(milliseconds).toBeGreaterThan(0);
    const phases = seen.map(({ phase }) => phase).filter((phase, index, all) => phase !== all[index - 1]);
    expect(phases).toEqual(['filling', 'indexing', 'catching up']);
    const filling = seen.filter(({ phase }) => phase === 'filling').map((progress) => progress.events);
    expect(filling.length).toBeGreaterThan(3);
    expect(filling).toEqual([...filling].sort((a, b) => a - b));
    expect(seen.at(-1)).toEqual({ phase: 'catching up', events: 18_000, total: 18_000 });

    await rebuild.rebuild('tally');
    runner.start();
    await divisions.createMany(0, 10);
    await expectExact(divisions.store);
  });

  it('loses and duplicates nothing while writes go on and the runner runs', async () => {
    const { rebuild, runner } = divisions.parts();
    runner.start();
    let writing = true;
    let written = 0;
    const writers = divisions.contexts.map(async (_, tenant) => {
      for (let number = tenant; writing; number += divisions.contexts.length, written++) {
        await (await divisions.create(number))('Renamed');
      }
    });
    for (const name of ['tally', 'divisions', 'tally', 'divisions', 'tally']) {
      const target = written + 50;
      await waitFor(() => written >= target, { description: '50 more divisions' });
      await rebuild.rebuild(name);
    }
    writing = false;
    await Promise.all(writers);
    await expectExact(divisions.store);
    expect(errors).not.toHaveBeenCalled();
  });

  it('answers every read as if there were no rebuild', async () => {
    await divisions.append(200);
    const { rebuild } = divisions.parts();
    await rebuild.rebuild('divisions');
    let rebuilding = true;
    let reads = 0;
    const sql = `select count(*)::int as count, max(d.version) as version from read_model.divisions d
      join read_model.divisions other on other.id = d.id and ${live('divisions', 'other', '$1')}
      where ${live('divisions', 'd', '$1')}`;
    const answers = new Set<string>();
    const readers = divisions.contexts.concat(divisions.contexts).map(async ({ tenant }) => {
      while (rebuilding) {
        answers.add(JSON.stringify(await divisions.rows(sql, [tenant.id])));
        reads++;
      }
    });
    for (let round = 0; round < 5; round++) await rebuild.rebuild('divisions');
    rebuilding = false;
    await Promise.all(readers);
    expect([...answers]).toEqual([JSON.stringify([{ count: 200, version: 2 }])]);
    expect(reads).toBeGreaterThan(50);
  });

  it('goes live once the statements that were planned without its tables have ended', async () => {
    await divisions.append(10);
    const { rebuild } = divisions.parts();
    const [holder, reader] = await Promise.all([
      divisions.store.reads.session(),
      divisions.store.reads.session(),
    ]);
    await holder.query('select pg_advisory_lock(1)');
    const reading = reader.query('select pg_advisory_lock_shared(1), count(*) from read_model.divisions');
    await waitFor(async () => (await divisions.rows(WAITING)).length > 0, {
      description: 'the reader to wait',
    });
    const rebuilding = rebuild.rebuild('divisions');
    const attached = `select from pg_inherits where inhrelid = to_regclass('read_model.divisions_g2')`;
    await waitFor(async () => (await divisions.rows(attached)).length > 0, { description: 'the new tables' });
    const asked = `select from pg_stat_activity where query like '%pg_locks%' and query_start > $1 and pid <> pg_backend_pid()`;
    const [{ now }] = await divisions.rows<{ now: Date }>('select clock_timestamp() as now');
    await waitFor(async () => (await divisions.rows(asked, [now])).length > 0, {
      description: 'the rebuild to look again',
    });
    expect(await generation()).toBe(1);
    await holder.end();
    await rebuilding;
    expect(await generation()).toBe(2);
    await reading;
    await reader.end();
  });

  it('goes live beside a long reading transaction, and drops the old rows when that ends', async () => {
    await divisions.append(50);
    const { rebuild } = divisions.parts();
    await rebuild.rebuild('divisions');
    const reader = await divisions.store.reads.pool.connect();
    const count = async () => (await reader.query('select count(*)::int from read_model.divisions')).rows[0];
    await reader.query('begin isolation level repeatable read read only');
    expect(await count()).toEqual({ count: 150 });
    const rebuilding = rebuild.rebuild('divisions');
    await waitFor(async () => (await generation()) === 3, { description: 'the new generation to go live' });
    expect(await count()).toEqual({ count: 150 });
    expect(await divisions.shown('divisions')).toHaveLength(150);
    await waitFor(async () => (await divisions.rows(WAITING)).length > 0, {
      description: 'the drop to wait',
    });
    // The rebuild does not hold the feed back.
    expect(await divisions.rows(WAITING)).toEqual([{ backend_xid: null }]);
    await reader.query('commit');
    reader.release();
    await rebuilding;
    expect(await divisions.rows(`select to_regclass('read_model.divisions_g2') as gone`)).toEqual([
      { gone: null },
    ]);
  });

  it('lets the plan of a read scan only one generation', async () => {
    await divisions.append(50);
    const { rebuild } = divisions.parts();
    const [{ tenant }] = divisions.contexts;
    await rebuild.rebuild('divisions');
    await rebuild.rebuild('divisions', { tenant: tenant.alias });
    const plan = await divisions.rows<{ 'QUERY PLAN': string }>(
      `explain (analyze, costs off, timing off)
       select * from read_model.divisions d where ${live('divisions', 'd', String(tenant.id))}`,
    );
    const scans = plan.map((row) => row['QUERY PLAN']).filter((line) => line.includes(' on divisions_g'));
    expect(scans.filter((line) => !line.includes('never executed'))).toEqual([
      expect.stringContaining('divisions_g3'),
    ]);
  });

  it('runs once at a time for a projection, whoever asks', async () => {
    await divisions.append(500);
    const outcomes = await Promise.allSettled([
      divisions.parts().rebuild.rebuild('divisions'),
      divisions.parts().rebuild.rebuild('divisions'),
      divisions.parts().rebuild.rebuild('tally'),
    ]);
    const refusals = outcomes.flatMap((outcome) => (outcome.status === 'rejected' ? [outcome.reason] : []));
    expect(refusals).toEqual([expect.objectContaining({ code: 'rebuild_running' })]);
    expect(await divisions.shown('divisions')).toHaveLength(1500);
    expect(await divisions.shown('tally')).toHaveLength(1500);
  });
});
