import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { Logger } from '@nestjs/common';
import type { Client, PoolClient } from 'pg';
import { divisionsProjection } from '#practice/divisions/division.projection';
import { waitFor } from '../../../test/support/wait-for';
import type { Projection } from '../projection';
import { Divisions } from '../testing/divisions';

const ROOT = join(__dirname, '../../..');
const STREAMS = 6_000;
/** Advisory lock that the test holds to stop a rebuild after its first streams. */
const GATE = 424_242;

describe('a rebuild that is interrupted', () => {
  let divisions: Divisions;
  let before: unknown[];
  let folds: number;
  /** Called before a stream is folded, with the number of streams folded so far. */
  let onFold: (count: number) => void;
  let counted: Projection;

  beforeAll(async () => {
    divisions = await Divisions.open(2);
    await divisions.append(STREAMS / 2);
    await divisions.parts().rebuild.rebuild('divisions');
    before = await divisions.shown('divisions');
    expect(before).toHaveLength(STREAMS);
  });
  afterAll(() => divisions.close());
  beforeEach(() => {
    jest.spyOn(Logger.prototype, 'warn').mockImplementation();
    folds = 0;
    onFold = () => undefined;
    counted = {
      ...divisionsProjection,
      ofStream() {
        onFold(folds++);
        return divisionsProjection.ofStream();
      },
    };
  });
  afterEach(async () => {
    jest.restoreAllMocks();
    expect(await divisions.shown('divisions')).toEqual(before);
    expect(await leftovers()).toEqual([]);
  });

  const rebuilding = (projection = counted) => divisions.parts([projection]).rebuild;
  const live = async () =>
    (await divisions.rows<{ g: number }>(`select read_model.live_generation('divisions', 0) as g`))[0].g;
  /** Everything that exists in addition to the live generation. */
  const leftovers = () =>
    divisions.rows(
      `select 'generation ' || generation as left from read_model.generations
         where projection = 'divisions' and generation <> (select read_model.live_generation('divisions', 0))
       union select 'checkpoint of ' || generation from read_model.checkpoints
         where projection = 'divisions' and generation <> (select read_model.live_generation('divisions', 0))
       union select relname from pg_class where relname ~ '^divisions_g\\d+$'
         and relname <> 'divisions_g' || (select read_model.live_generation('divisions', 0))`,
    );
  const unfinished = async () => {
    const [row] = await divisions.rows<{ generation: number; filled: boolean; events: string }>(
      `select generation, filled, events from read_model.generations where projection = 'divisions'
       and generation > (select read_model.live_generation('divisions', 0))`,
    );
    return row && { ...row, streams: Number(row.events) / 2 };
  };
  const cut = (sessions: string, how: 'cancel' | 'terminate' = 'terminate') =>
    divisions.store.writes.pool.query(
      `select pg_${how}_backend(pid) from pg_stat_activity
       where datname = current_database() and application_name like $1 and pid <> pg_backend_pid()`,
      [sessions],
    );
  /** Keeps everybody from moving or changing the read model's tracks. */
  async function hold(): Promise<Client | PoolClient> {
    const holder = await divisions.store.writes.session();
    await holder.query('begin');
    await holder.query(`select from read_model.live where projection = 'divisions' for update`);
    return holder;
  }
  const waiting = (count: number) =>
    waitFor(
      async () =>
        (
          await divisions.rows(
            `select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`,
          )
        ).length === count,
      { description: `${count} sessions to wait for the lock` },
    );
  /** Lets a rebuild fill its first streams only. @returns a function that lets it continue */
  async function closeGate(): Promise<() => Promise<void>> {
    const keeper = await divisions.store.writes.session();
    await keeper.query('select pg_advisory_lock($1)', [GATE]);
    await divisions.rows(
      `create function wait_at_gate() returns trigger language plpgsql as $$
       begin perform pg_advisory_xact_lock(${GATE}); return new; end $$;
       create trigger gate before update on read_model.generations for each row
       when (old.events > 0) execute function wait_at_gate()`,
    );
    return async () => {
      await keeper.end();
      await divisions.rows('drop trigger gate on read_model.generations; drop function wait_at_gate');
    };
  }
  /** Stops a rebuild when it is about half filled, as the end of its process would. */
  async function stopHalfway(options: { tenant?: string } = {}) {
    const stopping = new AbortController();
    const stopped = rebuilding().rebuild('divisions', {
      ...options,
      signal: stopping.signal,
      progress: ({ events }) => events > 0 && stopping.abort(new Error('the process ends')),
    });
    await expect(stopped).rejects.toThrow('the process ends');
    folds = 0;
    return (await unfinished())!;
  }

  it('waits for the read database and goes on from the stream it had reached', async () => {
    const phases: string[] = [];
    let copied = 0;
    const { events } = await rebuilding().rebuild('divisions', {
      progress({ phase, events: done }) {
        phases.push(phase);
        if (copied > 0 || done === 0) return;
        copied = done / 2;
        void cut('practice-management-read-session');
      },
    });
    expect(phases).toContain('waiting for the database');
    expect(events).toBe(2 * STREAMS);
    expect(folds).toBeLessThanOrEqual(2 * STREAMS - copied);
  });

  it('waits for the event store', async () => {
    onFold = (count) => void (count === 1_000 && cut('practice-management-write-session'));
    const phases: string[] = [];
    const progress = ({ phase }: { phase: string }) => phases.push(phase);
    const { events } = await rebuilding().rebuild('divisions', { progress });
    expect(phases).toContain('waiting for the database');
    expect(events).toBe(2 * STREAMS);
  });

  it('goes on when its session ends while it makes indexes', async () => {
    const phases: string[] = [];
    await rebuilding().rebuild('divisions', {
      progress({ phase }) {
        phases.push(phase);
        if (phase === 'indexing' && phases.filter((one) => one === 'indexing').length === 1)
          void cut('practice-management-read-session');
      },
    });
    const last = phases.filter((phase) => phase !== 'filling');
    expect(last).toEqual(['indexing', 'waiting for the database', 'indexing', 'catching up']);
    expect(folds).toBe(STREAMS);
  });

  it.each(['practice-management-read-session', 'practice-management-read%'])(
    'goes on when %s ends while it catches up',
    async (sessions) => {
      const holder = await hold();
      const phases: string[] = [];
      const rebuilt = rebuilding().rebuild('divisions', { progress: ({ phase }) => phases.push(phase) });
      await waiting(1);
      await cut(sessions);
      await holder.end();
      await rebuilt;
      expect(phases).toContain('waiting for the database');
      expect(folds).toBe(STREAMS);
    },
  );

  it('goes on when a statement is cancelled for taking too long while it catches up', async () => {
    const holder = await hold();
    const phases: string[] = [];
    const rebuilt = rebuilding().rebuild('divisions', { progress: ({ phase }) => phases.push(phase) });
    await waiting(1);
    // The server does this to a session that waits for ten seconds.
    await cut('practice-management-read', 'cancel');
    await holder.end();
    await rebuilt;
    expect(phases).toContain('waiting for the database');
    expect(folds).toBe(STREAMS);
  });

  it('lets the process that now has its lock continue the same generation, and waits for that process', async () => {
    const holder = await hold();
    const first = rebuilding().rebuild('divisions');
    await waiting(1);
    const { generation } = (await unfinished())!;
    await cut('practice-management-read-session');
    const second = rebuilding().resume('divisions');
    await waiting(2);
    await holder.end();
    expect(await Promise.all([first, second])).toEqual([
      expect.objectContaining({ generation }),
      expect.objectContaining({ generation }),
    ]);
    expect(folds).toBe(STREAMS);
  });

  it('never goes live with a generation that another has dropped meanwhile', async () => {
    const holder = await hold();
    const first = rebuilding().rebuild('divisions');
    await waiting(1);
    await cut('practice-management-read-session');
    const { alias } = divisions.contexts[0].tenant;
    const second = rebuilding().rebuild('divisions', { tenant: alias });
    await waiting(2);
    await holder.end();
    const [all, one] = await Promise.all([first, second]);
    expect(one).toMatchObject({ tenant: alias });
    expect(all.generation).toBe(one.generation + 1);
    expect(await live()).toBe(all.generation);
  });

  it('is continued by another process from the stream it had reached', async () => {
    const { generation, streams } = await stopHalfway();
    expect(streams).toBeGreaterThan(1_000);
    expect(await divisions.shown('divisions')).toEqual(before);
    expect(await rebuilding().resume('divisions')).toMatchObject({ generation, events: 2 * STREAMS });
    expect(folds).toBe(STREAMS - streams);
    expect(await rebuilding().resume('divisions')).toBeUndefined();
  });

  it('is continued for the one tenant for which it was begun', async () => {
    const { alias } = divisions.contexts[0].tenant;
    const { generation, streams } = await stopHalfway({ tenant: alias });
    expect(await rebuilding().resume('divisions')).toMatchObject({ generation, tenant: alias });
    expect(folds).toBe(STREAMS / 2 - streams);
    await rebuilding().rebuild('divisions');
  });

  it('is continued after its process was killed', async () => {
    const { url, config } = divisions.store;
    const openGate = await closeGate();
    const child = spawn(
      process.execPath,
      ['--conditions', 'source', '--require', './test/support/register-typescript.cjs']
        .concat('--require', './test/support/exit-with-parent.cjs')
        .concat('apps/cli/main.ts', 'projections', 'rebuild', 'divisions'),
      {
        cwd: ROOT,
        env: { PATH: process.env.PATH, NODE_ENV: 'test', DATABASE_URL: url, SECRETS_KEY: config.SECRETS_KEY },
        stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
      },
    );
    const exited = once(child, 'exit');
    await waitFor(async () => Number((await unfinished())?.events ?? 0) > 0, {
      description: 'the first streams to be filled',
    });
    child.kill('SIGKILL');
    await exited;
    const { generation, streams, filled } = (await unfinished())!;
    expect(filled).toBe(false);
    await openGate();
    const resumed = await waitFor(() => rebuilding().resume('divisions'), {
      description: 'the lock to be free',
    });
    expect(resumed).toMatchObject({ generation, events: 2 * STREAMS });
    expect(folds).toBe(STREAMS - streams);
  });

  it('starts over in a newer version, which an older program does not undo', async () => {
    await stopHalfway();
    const version = 2;
    const { generation } = (await rebuilding({ ...counted, version }).resume('divisions'))!;
    expect(folds).toBe(STREAMS);
    const built = () =>
      divisions.rows(`select version from read_model.generations where projection = 'divisions'`);
    expect(await built()).toEqual([{ version }]);
    expect(await rebuilding({ ...counted, version }).resume('divisions')).toBeUndefined();
    // An older program does not undo it.
    expect(await rebuilding().resume('divisions')).toBeUndefined();
    expect(await rebuilding({ ...counted, version: 3 }).resume('divisions')).toMatchObject({
      generation: generation + 1,
    });
    await divisions.rows(`update read_model.generations set version = 1 where projection = 'divisions'`);
  });
});
