import type { ConnectionPool } from 'mssql';
import { createTestDatabase, execute, type TestDatabase } from '../database';
import { waitFor } from '../wait-for';
import { localCertificate } from './certificate';
import { connect, rowsOf, streamed } from './driver';
import type { Faults } from './faults';
import { type ConnectionStringParts, type TdsOptions, TdsServer } from './tds-server';

const all =
  'select [ImportId] as [ImportId], [Text] as [Text] from [etl].[Big] order by [ImportId] collate Latin1_General_BIN2';
const countAll = 'select count_big(*) as [rows] from [etl].[Big]';
const count = 20_000;

let database: TestDatabase;
let server: TdsServer;
const pools: ConnectionPool[] = [];

beforeAll(async () => {
  database = await createTestDatabase();
  await execute(
    database.url,
    'create schema etl; create table etl."Big" ("ImportId" varchar(20), "Text" text)',
  );
  await execute(
    database.url,
    `insert into etl."Big" select lpad(i::text, 8, '0'), repeat('0123456789', 800) from generate_series(1, $1) i`,
    [count],
  );
});
afterEach(async () => {
  await Promise.all(pools.splice(0).map((pool) => pool.close()));
  await server?.close();
});
afterAll(() => database?.drop());

async function start(options: Partial<TdsOptions> = {}): Promise<void> {
  server = await TdsServer.start({ database: database.url, ...options });
}

async function open(parts: ConnectionStringParts = {}, ca = server.caCertificate): Promise<ConnectionPool> {
  const more = { ca, connectionTimeout: 5_000, requestTimeout: 120_000 };
  const pool = await connect(server.connectionString(parts), more);
  pools.push(pool);
  return pool;
}

/** What a stream came to. */
async function outcome(
  pool: ConnectionPool,
): Promise<{ rows: number; error?: { code: string; number?: number } }> {
  let rows = 0;
  try {
    await streamed(pool, all).run(() => rows++);
    return { rows };
  } catch (error) {
    const { code, number } = error as { code: string; number?: number | string };
    return { rows, error: typeof number === 'number' ? { code, number } : { code } };
  }
}

describe('encryption', () => {
  it.each([
    ['optional', 'true', 'tls'],
    ['optional', 'strict', 'strict'],
    ['optional', 'false', 'none'],
    ['required', 'true', 'tls'],
    ['strict', 'strict', 'strict'],
    ['none', 'false', 'none'],
    ['none', 'true', 'none'],
  ] as const)(
    'of a server where it is %s, for a client that says %s, is %s',
    async (tls, encrypt, encryption) => {
      await start({ tls });
      const pool = await open({ encrypt });
      expect((await pool.query(countAll)).recordset).toEqual([{ rows: String(count) }]);
      const login = { user: 'importer', database: 'source', encryption, isAccepted: true };
      expect(server.logins).toEqual([login, login]); // the driver tries one before it makes its pool
    },
  );

  it.each([
    ['required', 'false', /Server requires encryption/],
    ['none', 'strict', /./],
    ['strict', 'true', /./],
  ] as const)('where it is %s is not for a client that says %s', async (tls, encrypt, message) => {
    await start({ tls });
    await expect(open({ encrypt })).rejects.toThrow(message);
    expect(server.logins).toEqual([]);
  });

  it.each(['true', 'strict'] as const)(
    'a client that says %s refuses a certificate it does not know',
    async (encrypt) => {
      await start();
      const { ca } = await localCertificate();
      await expect(open({ encrypt }, ca)).rejects.toThrow(/certificate|signature/);
      expect(server.logins).toEqual([]);
    },
  );

  it('is of a certificate that it is given', async () => {
    const certificate = await localCertificate();
    await start({ certificate });
    await open({}, certificate.ca);
    expect(server.logins[0]).toMatchObject({ isAccepted: true });
  });
});

describe('logins', () => {
  it.each<[string, ConnectionStringParts, string]>([
    ['a wrong password', { password: 'other' }, "Login failed for user 'importer'."],
    ['a wrong user', { user: 'other' }, "Login failed for user 'other'."],
    ['another database', { name: 'other' }, 'Cannot open database "other" requested by the login.'],
  ])('with %s is refused', async (_, parts, message) => {
    await start();
    await expect(open(parts)).rejects.toMatchObject({
      code: 'ELOGIN',
      message: expect.stringContaining(message),
    });
    expect(server.logins[0]).toMatchObject({ isAccepted: false });
    await waitFor(() => server.connections === 0, { description: 'the connection to end' });
  });

  it('tells what was asked, and how many are there', async () => {
    await start();
    const pool = await open();
    await pool.query(countAll);
    expect(server.queries).toContain(countAll);
    expect(server.connections).toBe(1);
    await pools.pop()!.close();
    await waitFor(() => server.connections === 0, { description: 'the connection to end' });
  });
});

it('takes from PostgreSQL no more than is read', async () => {
  await start();
  const pool = await open();
  const { request, run } = streamed(pool, all);
  let rows = 0;
  const done = run(() => {
    if (++rows === 1) request.pause();
  });
  await waitFor(
    async () => {
      const [backend] = await execute<{ waits: boolean }>(
        database.url,
        `select wait_event = 'ClientWrite' as waits from pg_stat_activity where query like 'copy%' and datname = current_database()`,
      );
      return backend?.waits;
    },
    { description: 'PostgreSQL to wait for the reader' },
  );
  expect(rows).toBeLessThan(count / 10);
  request.resume();
  await done;
  expect(rows).toBe(count);
});

describe('packets', () => {
  it.each([512, 4096, 32_767])('of %d bytes', async (packetSize) => {
    await start();
    const pool = await connect(server.connectionString(), {
      ca: server.caCertificate,
      options: { packetSize },
    });
    pools.push(pool);
    const sql = 'select top (50) [Text] as [Text] from [etl].[Big]';
    expect(await rowsOf(pool, sql)).toEqual(Array(50).fill(['0123456789'.repeat(800)]));
  });
});

describe('faults', () => {
  const fail = (faults: Faults) => Object.assign(server.faults, faults);
  beforeEach(() => start());

  it.each([true, false])(
    'drops the connection after the rows it was told (encrypted: %s)',
    async (encrypted) => {
      const pool = await open({ encrypt: encrypted ? 'true' : 'false' });
      fail({ drop: { table: 'Big', afterRows: 1234, times: 1 } });
      expect(await outcome(pool)).toEqual({ rows: 1234, error: { code: 'ECONNRESET' } });
      expect(await outcome(pool)).toEqual({ rows: count });
    },
  );

  it('stalls after rows until it is released, and can be cancelled then', async () => {
    const pool = await open();
    fail({ stall: { table: 'Big', afterRows: 10 } });
    const first = streamed(pool, all);
    let rows = 0;
    const done = first.run(() => rows++);
    await waitFor(() => rows === 10, { description: 'the rows before the stall' });
    fail({ stall: undefined });
    await done;
    expect(rows).toBe(count);

    fail({ stall: { table: 'Big', afterRows: 5 } });
    const second = streamed(pool, all);
    const cancelled = second.run(() => {});
    second.request.cancel();
    await expect(cancelled).rejects.toMatchObject({ code: 'ECANCEL' });
    expect((await pool.query(countAll)).recordset).toEqual([{ rows: String(count) }]);
  });

  it.each([
    [1205, 0],
    [1205, 100],
    [40613, 0],
  ])('answers error %d behind %d rows, as often as it was told', async (number, afterRows) => {
    const pool = await open();
    fail({ error: { number, table: 'Big', afterRows, times: 2 } });
    for (const _ of [1, 2]) {
      expect(await outcome(pool)).toEqual({ rows: afterRows, error: { code: 'EREQUEST', number } });
    }
    expect(await outcome(pool)).toEqual({ rows: count });
  });

  it.each([
    [18456, 1, "Login failed for user 'importer'."],
    [40613, 4, 'is not currently available'], // the driver itself tries again three times
  ])('refuses logins with %d', async (number, times, message) => {
    fail({ refuseLogin: number });
    await expect(open()).rejects.toThrow(message);
    expect(server.logins.length).toBe(times);
    fail({ refuseLogin: undefined });
    await open();
  });

  it('refuses connections', async () => {
    fail({ refuseConnections: true });
    await expect(open()).rejects.toMatchObject({ code: 'ESOCKET' });
    expect(server.connections).toBe(0);
  });

  it('never answers', async () => {
    fail({ silent: true });
    const parts = { ca: server.caCertificate, connectionTimeout: 300 };
    await expect(connect(server.connectionString(), parts)).rejects.toMatchObject({ code: 'ETIMEOUT' });
  });

  it('says that it has no encryption', async () => {
    fail({ noEncryption: true });
    await open({ encrypt: 'true' });
    expect(server.logins[0]).toMatchObject({ encryption: 'none' });
  });

  it.each<[string, Faults, number]>([
    ['a table', { missing: ['Big'] }, 208],
    ['a column', { missing: ['Big.Text'] }, 207],
    ['the right to read', { denied: ['Big'] }, 229],
  ])('lacks %s', async (_, faults, number) => {
    const pool = await open();
    fail(faults);
    expect(await outcome(pool)).toMatchObject({ rows: 0, error: { number } });
    const names = await rowsOf(
      pool,
      'select TABLE_NAME as [table], COLUMN_NAME as [column], DATA_TYPE as [type] from INFORMATION_SCHEMA.COLUMNS where TABLE_SCHEMA = @schema',
      { schema: 'etl' },
    );
    expect(names.length).toBe({ 208: 0, 207: 1, 229: 0 }[number]);
  });

  it('ends what is open when it is closed', async () => {
    const pool = await open();
    fail({ stall: { table: 'Big', afterRows: 10 } });
    const { run } = streamed(pool, all);
    let rows = 0;
    const done = run(() => rows++);
    await waitFor(() => rows === 10, { description: 'rows' });
    await server.close();
    await expect(done).rejects.toThrow();
    await start();
  });
});
