import { Logger } from '@nestjs/common';
import { testConfig } from '../../test/support/auth-application';
import { createTestDatabase, execute, type TestDatabase } from '../../test/support/database';
import { ReadDatabase, WriteDatabase } from './database';
import { isConnectionLost } from './database/connection-lost';

describe('the pools', () => {
  let test: TestDatabase;
  let pools: (WriteDatabase | ReadDatabase)[];

  beforeAll(async () => {
    test = await createTestDatabase();
    pools = [new WriteDatabase(testConfig(test.url)), new ReadDatabase(testConfig(test.url))];
  });
  afterAll(async () => {
    await Promise.all(pools.map((database) => database.onApplicationShutdown()));
    await test.drop();
  });

  it('give exact values: no number loses digits, no date moves with the zone', async () => {
    for (const { pool } of pools) {
      const { rows } = await pool.query(
        `select 9007199254740993::bigint as int8, 1.10::numeric as numeric, '2026-03-29'::date as date,
                '2026-03-29T00:30:00+01'::timestamptz as instant, 7 as int4`,
      );
      expect(rows[0]).toEqual({
        int8: '9007199254740993',
        numeric: '1.10',
        date: '2026-03-29',
        instant: new Date('2026-03-28T23:30:00Z'),
        int4: 7,
      });
    }
  });

  it('are named, and end a statement after ten seconds', async () => {
    const settings = pools.map(async ({ pool }) => {
      const { rows } = await pool.query(
        "select current_setting('application_name') as name, current_setting('statement_timeout') as timeout",
      );
      return rows[0];
    });
    expect(await Promise.all(settings)).toEqual([
      { name: 'practice-management-write', timeout: '10s' },
      { name: 'practice-management-read', timeout: '10s' },
    ]);
  });

  it('keep the pending list of a GIN index short, since every search reads all of it', async () => {
    const reads = pools[1];
    const buffers = await reads.transaction(async (client) => {
      await client.query('create table words (words int[]) with (autovacuum_enabled = off)');
      await client.query('create index on words using gin (words)');
      await client.query(
        'insert into words select array[n, n + 1, n + 2, n + 3, n + 4, n + 5] from generate_series(1, 10000) n',
      );
      await client.query('set local enable_seqscan = off');
      const { rows } = await client.query(
        "explain (analyze, format json) select from words where words @> '{0}'::int[]",
      );
      return rows[0]['QUERY PLAN'][0].Plan['Shared Hit Blocks'];
    });
    expect(buffers).toBeLessThan(60);
  });

  it('give up a transaction that stands still, and can be used afterwards', async () => {
    for (const database of pools) {
      await database.transaction(async (client) => {
        const { rows } = await client.query('show idle_in_transaction_session_timeout');
        expect(rows).toEqual([{ idle_in_transaction_session_timeout: '15s' }]);
      });
      const stood = database.transaction(async (client) => {
        await client.query('create table half (done boolean)');
        const ended = new Promise((resolve) => client.once('end', resolve));
        await client.query(`set local idle_in_transaction_session_timeout = '20ms'`);
        await ended;
        await client.query('select');
      });
      expect(isConnectionLost(await stood.catch((error) => error))).toBe(true);
      const { rows } = await database.pool.query(
        `select to_regclass('half') as half, current_setting('idle_in_transaction_session_timeout') as limit`,
      );
      expect(rows).toEqual([{ half: null, limit: '0' }]);
    }
  });

  it('leave sessions for long work without a time limit, also where the operator has set limits', async () => {
    const limits = ['statement', 'lock', 'transaction', 'idle_session', 'idle_in_transaction_session'];
    const name = new URL(test.url).pathname.slice(1);
    for (const limit of limits)
      await execute(test.url, `alter database ${name} set ${limit}_timeout = '20s'`);
    const [write] = pools;
    const session = await write.session();
    try {
      const { rows } = await session.query(
        `select l, current_setting(l || '_timeout') as setting from unnest($1::text[]) l`,
        [limits],
      );
      expect(rows).toEqual(limits.map((l) => ({ l, setting: '0' })));
    } finally {
      await session.end();
      await execute(test.url, `alter database ${name} reset all`);
    }
  });

  it('give statements their meaning, also where the operator has changed the defaults', async () => {
    const name = new URL(test.url).pathname.slice(1);
    const changed = {
      datestyle: 'German, DMY',
      array_nulls: 'off',
      default_transaction_isolation: 'repeatable read',
    };
    for (const [setting, value] of Object.entries(changed))
      await execute(test.url, `alter database ${name} set ${setting} = '${value}'`);
    const database = new WriteDatabase(testConfig(test.url));
    const session = await database.session();
    try {
      for (const client of [session, database.pool]) {
        const { rows } = await client.query(
          `select '2026-02-01T10:00:00Z'::timestamptz as at, '2026-02-01'::date as day, array[null]::int[]::text as none,
             $1::int[] as given, current_setting('transaction_isolation') as isolation`,
          [[null]],
        );
        expect(rows).toEqual([
          {
            at: new Date('2026-02-01T10:00:00Z'),
            day: '2026-02-01',
            none: '{NULL}',
            given: [null],
            isolation: 'read committed',
          },
        ]);
      }
    } finally {
      await session.end();
      await database.onApplicationShutdown();
      await execute(test.url, `alter database ${name} reset all`);
    }
  });

  it('add their settings to those in the address', async () => {
    const address = `${test.url}?options=-c%20search_path%3Dread_model%20-c%20idle_in_transaction_session_timeout%3D20s`;
    const reads = new ReadDatabase(testConfig(address));
    const session = await reads.session();
    try {
      for (const client of [session, reads.pool]) {
        const { rows } = await client.query(
          "select current_setting('search_path') as path, current_setting('idle_in_transaction_session_timeout') as idle",
        );
        expect(rows).toEqual([{ path: 'read_model', idle: '0' }]);
      }
      expect((await reads.pool.query('show work_mem')).rows).toEqual([{ work_mem: '32MB' }]);
    } finally {
      await session.end();
      await reads.onApplicationShutdown();
    }
  });

  it('survive the loss of an idle connection', async () => {
    const [write, read] = pools;
    const warn = jest.spyOn(Logger.prototype, 'warn').mockImplementation();
    const { rows } = await write.pool.query('select pg_backend_pid() as pid');
    const lost = new Promise((resolve) => write.pool.once('remove', resolve));
    await read.pool.query('select pg_terminate_backend($1)', [rows[0].pid]);
    await lost;
    expect(warn).toHaveBeenCalledTimes(1);
    warn.mockRestore();
    expect((await write.pool.query('select 1 as one')).rows).toEqual([{ one: 1 }]);
  });
});
