import { Logger } from '@nestjs/common';
import { divisionsProjection } from '#practice/divisions/division.projection';
import { waitFor } from '../../test/support/wait-for';
import type { Projection } from './projection';
import { checked } from './testing/checked';
import { Divisions } from './testing/divisions';
import { expectExact } from './testing/expect-exact';
import type { projectionParts } from './testing/parts';

describe('tenants that are parked', () => {
  let divisions: Divisions;
  /** Names that neither projection can apply. */
  let poison: Set<string>;
  let projections: Projection[];
  let parts: ReturnType<typeof projectionParts>;
  let renames: Awaited<ReturnType<Divisions['createMany']>>;

  beforeEach(async () => {
    jest.spyOn(Logger.prototype, 'log').mockImplementation();
    jest.spyOn(Logger.prototype, 'error').mockImplementation();
    divisions = await Divisions.open(3, 5);
    poison = new Set();
    projections = [divisionsProjection, divisions.tally].map(refusing);
    parts = divisions.parts(projections);
    renames = await divisions.createMany(0, 9);
  });
  afterEach(async () => {
    await divisions.close();
    jest.restoreAllMocks();
  });

  function refusing(projection: Projection): Projection {
    const check = ({ event }: { event: { data: object } }) => {
      const { name } = event.data as { name?: string };
      if (name && poison.has(name)) throw new Error(`cannot apply ${name}`);
    };
    return {
      ...projection,
      async apply(client, generation, events) {
        await projection.apply(client, generation, events);
        for (const event of events) check(event);
      },
      ofStream: checked(projection, check),
    };
  }
  const alias = (index: number) => divisions.contexts[index].tenant.alias;
  const parked = async () => {
    const rows = await divisions.rows<{ line: string }>(
      `select p.projection || ' ' || t.alias || ': ' || p.error as line
       from read_model.parked p join platform.tenants t on t.id = p.tenant_id order by 1`,
    );
    return rows.map(({ line }) => line);
  };
  /** Makes the third event of tenant 1 fail, with further events after it. */
  async function park(): Promise<void> {
    poison = new Set(['poison']);
    parts.runner.start();
    for (const name of ['before', 'poison', 'after']) await renames[1](name);
    await waitFor(async () => (await parked()).length === 2, { description: 'the tenant to be parked' });
  }
  const version = async () => {
    const [row] = await divisions.rows<{ version: number }>(
      `select version from read_model.divisions where tenant_id = $1 order by version desc limit 1`,
      [divisions.contexts[1].tenant.id],
    );
    return row.version;
  };
  const named = (name: string) => divisions.rows('select from read_model.divisions where name = $1', [name]);
  const resumed = (index: number) => ({ tenant: alias(index), resumed: true, reason: null });
  /** Checkpoints of tenants with a track of their own. */
  const own = () => divisions.rows('select from read_model.checkpoints where tenant_id <> 0');

  it('stay parked while nothing is mended, and tell why', async () => {
    await park();
    const refused = {
      tenant: alias(1),
      resumed: false,
      reason: expect.stringMatching(/^Projection divisions cannot apply event .*: cannot apply poison$/),
    };
    expect(await parts.parked.retry('divisions')).toEqual([refused]);
    expect(await parts.parked.retry('divisions', alias(1))).toEqual([refused]);
    expect(await version()).toBe(2);
    expect(await parked()).toEqual([
      `divisions ${alias(1)}: cannot apply poison`,
      `tally ${alias(1)}: cannot apply poison`,
    ]);
  });

  it('keep what could be applied before the next event that cannot be applied', async () => {
    await park();
    await renames[1]('more');
    await renames[1]('worse');
    await renames[4]('elsewhere');
    // A tenant rejoins the others at their position, so they must be past the event that the tenant cannot apply.
    await renames[0]('of another tenant');
    await waitFor(async () => (await named('of another tenant')).length === 1, {
      description: 'the other tenants to go on',
    });
    poison = new Set(['worse']);
    const [{ resumed: done, reason }] = await parts.parked.retry('divisions');
    expect([done, reason]).toEqual([
      false,
      expect.stringMatching(/version 6 of stream .* cannot apply worse$/),
    ]);
    expect(await version()).toBe(5);
    expect(await parked()).toEqual([
      `divisions ${alias(1)}: cannot apply worse`,
      `tally ${alias(1)}: cannot apply poison`,
    ]);
    poison.clear();
    expect(await parts.parked.retry('divisions')).toEqual([resumed(1)]);
    expect(await parts.parked.retry('tally')).toEqual([resumed(1)]);
    await expectExact(divisions.store);
  });

  it('come back exactly where the others are, while writes go on and other processes retry as well', async () => {
    await park();
    let writing = true;
    let written = 0;
    const writers = renames.map(async (rename) => {
      for (; writing; written++) await rename(`Renamed ${written}`);
    });
    await waitFor(() => written > 200, { description: '200 more events' });
    poison.clear();
    const another = divisions.parts(projections);
    const answers = await Promise.all([
      parts.parked.retry('divisions'),
      another.parked.retry('divisions'),
      parts.parked.retry('tally', alias(1)),
      another.parked.retry('tally'),
    ]);
    for (const answer of answers) for (const one of answer) expect(one).toEqual(resumed(1));
    expect(answers.flat().length).toBeGreaterThanOrEqual(2);
    const target = written + 50;
    await waitFor(() => written >= target, { description: '50 more events' });
    writing = false;
    await Promise.all(writers);
    await expectExact(divisions.store);
    expect([await parked(), await own()]).toEqual([[], []]);
  });

  it('are none when nothing is parked or another tenant is asked for; unknown names are refused', async () => {
    expect(await parts.parked.retry('divisions')).toEqual([]);
    await park();
    expect(await parts.parked.retry('divisions', alias(0))).toEqual([]);
    await expect(parts.parked.retry('divisions', 'nobody')).rejects.toMatchObject({
      code: 'tenant_not_found',
    });
    await expect(parts.parked.retry('nothing')).rejects.toMatchObject({ code: 'unknown_projection' });
  });

  it.each([
    ['a full rebuild', undefined],
    ['a rebuild of theirs', 1],
  ])('come back with %s, once it can fold their events', async (_, tenant) => {
    await park();
    const options = { tenant: tenant === undefined ? undefined : alias(tenant) };
    await expect(parts.rebuild.rebuild('divisions', options)).rejects.toThrow('cannot apply poison');
    expect(await parked()).toHaveLength(2);
    poison.clear();
    for (const name of parts.rebuild.names) await parts.rebuild.rebuild(name, options);
    expect(await parked()).toEqual([]);
    expect(await own()).toHaveLength(tenant ? 2 : 0);
    await Promise.all(renames.map((rename) => rename('Renamed')));
    await expectExact(divisions.store);
  });

  it('come back in a generation of their own', async () => {
    parts.runner.start();
    await expectExact(divisions.store);
    for (const name of parts.rebuild.names) await parts.rebuild.rebuild(name, { tenant: alias(1) });
    await park();
    await Promise.all(renames.map((rename) => rename('Renamed')));
    poison.clear();
    for (const name of parts.rebuild.names) expect(await parts.parked.retry(name)).toEqual([resumed(1)]);
    await renames[1]('Renamed again');
    await expectExact(divisions.store);
    expect([await parked(), (await own()).length]).toEqual([[], 2]);
  });

  it('are parked once by two runners at once, which apply every other event once', async () => {
    divisions.parts(projections).runner.start();
    poison = new Set(['poison']);
    parts.runner.start();
    let done = false;
    const disturbing = waitFor(
      async () => {
        await divisions.rows(
          `select pg_terminate_backend(pid) from pg_stat_activity
           where datname = current_database() and application_name like 'practice projections locks %'`,
        );
        return done;
      },
      { description: 'the writes to end' },
    );
    for (let round = 0; round < 10; round++) {
      await Promise.all(
        renames.map((rename, index) => rename(index % 3 === 1 && round === 5 ? 'poison' : 'fine')),
      );
    }
    await waitFor(async () => (await parked()).length === 2, {
      description: 'the tenant to be parked in both read models',
    });
    done = true;
    await disturbing;
    poison.clear();
    for (const name of parts.rebuild.names) expect(await parts.parked.retry(name)).toEqual([resumed(1)]);
    await expectExact(divisions.store);
  });
});
