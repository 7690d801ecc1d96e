import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { Client } from 'pg';
import { projections } from '#practice/areas';
import { secretsKey, testConfig } from '../../../test/support/auth-application';
import { createTestDatabase, execute, type TestDatabase } from '../../../test/support/database';
import { waitFor } from '../../../test/support/wait-for';
import { run } from '../cli';

const ROOT = join(__dirname, '../../..');
const NAMES = projections.map(({ name }) => name);

describe('cli projections', () => {
  let test: TestDatabase;
  let out: string[];
  let err: string[];

  const cli = async (line: string, screen?: NodeJS.WritableStream) => {
    [out, err] = [[], []];
    const terminal = { out: (text: string) => out.push(text), err: (text: string) => err.push(text) };
    return run(line.split(' '), { config: () => testConfig(test.url), screen, ...terminal });
  };
  /** Runs a command with --json. @returns its exit code, and its answer or the code of its error */
  const json = async (line: string) => {
    const code = await cli(`projections ${line} --json`);
    expect(out.length + err.length).toBe(1);
    return { code, answer: out.length > 0 ? JSON.parse(out[0]) : JSON.parse(err[0]).error.code };
  };
  const sql = <Row extends object>(text: string) => execute<Row>(test.url, text);
  const generations = async () => {
    const { answer } = await json('list');
    return Object.fromEntries(
      answer.map(({ name, generation }: { name: string; generation: number }) => [name, generation]),
    );
  };
  /** Parks a read model as a projector does that meets a poison event. */
  const park = () =>
    sql(
      `with acme as (select * from platform.tenants where alias = 'acme'),
         live as (select generation from read_model.live where projection = 'divisions' and tenant_id = 0),
         rows as (delete from read_model.divisions d using acme where d.tenant_id = acme.id),
         parked as (insert into read_model.parked (projection, tenant_id, event_id, event_type, error)
           select 'divisions', id, gen_random_uuid(), 'DivisionCreated', 'no reason' from acme)
       insert into read_model.checkpoints
         (projection, generation, tenant_id, partition, epoch, transaction_id, position)
       select 'divisions', generation, id, partition, 0, '0', 0 from acme, live`,
    );

  beforeAll(async () => {
    test = await createTestDatabase();
    for (const alias of ['acme', 'other']) await cli(`tenants create --alias ${alias} --name ${alias}`);
  });
  afterAll(() => test.drop());
  // Open transactions of other databases hold the feed back, too.
  beforeEach(() =>
    waitFor(
      async () =>
        (
          await sql(
            'select from event_store.events where transaction_id >= pg_snapshot_xmin(pg_current_snapshot())',
          )
        ).length === 0,
      { description: 'the feed to show all events' },
    ),
  );

  it('lists every read model', async () => {
    const { code, answer } = await json('list');
    expect(code).toBe(0);
    expect(answer).toEqual(
      projections.map(({ name, version }) => ({
        name,
        version,
        generation: 1,
        lag: expect.any(Number),
        parked: [],
        held: [],
      })),
    );
    expect(Math.min(...answer.map(({ lag }: { lag: number }) => lag))).toBeGreaterThan(0);
    await cli('projections list');
    expect(out[0]).toMatch(/^name +version +generation +lag +parked +held\ntenants +2 +1 +[\d.]+ +- +-$/m);
  });

  it('rebuilds one read model, several, all, and those of one tenant', async () => {
    const rebuilt = (name: string, generation: number, tenant: string | null = null) => ({
      name,
      tenant,
      generation,
      events: expect.any(Number),
      milliseconds: expect.any(Number),
    });
    expect(await json('rebuild divisions')).toEqual({
      code: 0,
      answer: { ...rebuilt('divisions', 2), events: 2 },
    });
    expect(await json('rebuild matters people matters')).toEqual({
      code: 0,
      answer: [rebuilt('matters', 2), rebuilt('people', 2)],
    });
    expect(await json('rebuild --all')).toEqual({
      code: 0,
      answer: NAMES.map((name) => rebuilt(name, ['divisions', 'matters', 'people'].includes(name) ? 3 : 2)),
    });
    const { answer } = await json('list');
    expect(answer.map(({ lag }: { lag: number }) => lag)).toEqual(NAMES.map(() => 0));
    expect(await json('rebuild divisions --tenant acme')).toEqual({
      code: 0,
      answer: { ...rebuilt('divisions', 4, 'acme'), events: 1 },
    });
    expect(await generations()).toMatchObject({ divisions: 3 });
    expect((await json('rebuild --all --tenant other')).answer).toHaveLength(NAMES.length);
    const shown = await sql<{ alias: string; generation: number }>(
      `select t.alias, d.generation from read_model.divisions d join platform.tenants t on t.id = d.tenant_id
       where d.generation = (select read_model.live_generation('divisions', d.tenant_id)) order by 1`,
    );
    expect(shown).toEqual([
      { alias: 'acme', generation: 4 },
      { alias: 'other', generation: 5 },
    ]);
  });

  it.each([
    ['rebuild', 'usage'],
    ['rebuild divisions --all', 'usage'],
    ['rebuild divisions nothing', 'unknown_projection'],
    ['rebuild divisions --tenant nobody', 'tenant_not_found'],
    ['rebuild --all --tenant nobody', 'tenant_not_found'],
    ['retry', 'usage'],
    ['retry nothing', 'unknown_projection'],
    ['retry divisions --tenant nobody', 'tenant_not_found'],
    ['nonsense', 'usage'],
  ])('refuses, and does nothing: %s', async (line, code) => {
    const before = await generations();
    expect(await json(line)).toEqual({ code: 1, answer: code });
    expect(await generations()).toEqual(before);
  });

  it('refuses a read model that is being rebuilt already', async () => {
    const other = new Client(test.url);
    await other.connect();
    await other.query(`select pg_advisory_lock(hashtextextended('rebuild divisions', 0))`);
    expect(await json('rebuild divisions')).toEqual({ code: 1, answer: 'rebuild_running' });
    await other.end();
  });

  it('shows its progress in lines, or in a bar on a screen', async () => {
    expect(await cli('projections rebuild divisions')).toBe(0);
    expect(err.map((line) => line.replace(/ \(.*|, \d+\/s.*/, ''))).toEqual([
      'divisions: filling',
      'divisions: indexing, 2 of 2',
      'divisions: catching up, 2 of 2',
    ]);
    const screen = Object.assign(new PassThrough({ encoding: 'utf8' }), {
      isTTY: true,
      columns: 200,
      cursorTo: () => true,
      clearLine: () => true,
      moveCursor: () => true,
    });
    expect(await cli('projections rebuild divisions', screen)).toBe(0);
    expect(err).toEqual([]);
    expect(screen.read()).toMatch(/divisions \[=+\] 100 % \| 2 of 2 \|.*\| catching up/);
  });

  it('lets parked tenants go on, or says why it cannot', async () => {
    expect(await json('retry divisions')).toEqual({ code: 0, answer: [] });
    await park();
    expect((await json('list')).answer).toContainEqual(
      expect.objectContaining({ name: 'divisions', lag: 0, parked: ['acme'] }),
    );
    // A parked read model agrees with the events up to the parking, so it has no difference although events are
    // missing.
    expect(await json('audit divisions')).toMatchObject({
      code: 0,
      answer: { differing: 0, parked: ['acme'] },
    });
    expect((await json('audit divisions --tenant other')).answer).toMatchObject({ parked: [] });
    await sql('alter table read_model.divisions add constraint refusing check (false) not valid');
    const { code, answer } = await json('retry divisions');
    expect([code, answer]).toEqual([
      1,
      [{ tenant: 'acme', resumed: false, reason: expect.stringContaining('violates check constraint') }],
    ]);
    await sql('alter table read_model.divisions drop constraint refusing');
    expect(await json('retry divisions --tenant other')).toEqual({ code: 0, answer: [] });
    expect(await json('retry divisions --tenant acme')).toEqual({
      code: 0,
      answer: [{ tenant: 'acme', resumed: true, reason: null }],
    });
    expect((await json('list')).answer).toContainEqual(
      expect.objectContaining({ name: 'divisions', lag: 0, parked: [] }),
    );
    const shown = await sql(`select from read_model.divisions where not is_deleted`);
    expect(shown).toHaveLength(2);
  });

  it('gives up a rebuild that is interrupted, and leaves nothing of it', async () => {
    const before = await generations();
    const holder = new Client(test.url);
    await holder.connect();
    await holder.query('begin; lock table read_model.generations in share mode');
    const child = spawn(
      process.execPath,
      ['--conditions', 'source', '--require', './test/support/register-typescript.cjs']
        .concat('--require', './test/support/exit-with-parent.cjs')
        .concat('apps/cli/main.ts', 'projections', 'rebuild', 'divisions', '--json'),
      {
        cwd: ROOT,
        env: { PATH: process.env.PATH, NODE_ENV: 'test', DATABASE_URL: test.url, SECRETS_KEY: secretsKey },
        stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
      },
    );
    const exited = once(child, 'close');
    let said = '';
    child.stderr?.on('data', (chunk) => (said += chunk));
    const waiting = `select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`;
    await waitFor(async () => (await sql(waiting)).length > 0, {
      description: 'the rebuild to begin',
    });
    child.kill('SIGINT');
    await holder.end();
    expect((await exited)[0]).toBe(1);
    expect(JSON.parse(said)).toEqual({
      error: { code: 'stopped', message: 'The rebuild of divisions was given up.' },
    });
    expect(await generations()).toEqual(before);
    const left = await sql(
      `select from read_model.generations g where projection = 'divisions' and not exists (
         select from read_model.live l where l.projection = g.projection and l.generation = g.generation)`,
    );
    expect(left).toEqual([]);
  });
});
