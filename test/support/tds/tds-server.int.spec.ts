import { once } from 'node:events';
import { createConnection } from 'node:net';
import type { ConnectionPool } from 'mssql';
import { createTestDatabase, execute, type TestDatabase } from '../database';
import { waitFor } from '../wait-for';
import { bigCount, countBig, createBigTable, selectAllBig } from './big-table';
import { localCertificate } from './certificate';
import { connect, rowsOf, streamed } from './driver';
import type { ConnectionStringParts, TdsOptions } from './tds-options';
import { TdsServer } from './tds-server';

let database: TestDatabase;
let server: TdsServer;
const pools: ConnectionPool[] = [];

beforeAll(async () => {
  database = await createTestDatabase();
  await createBigTable(database.url);
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
      expect((await pool.query(countBig)).recordset).toEqual([{ rows: String(bigCount) }]);
      const login = { user: 'importer', database: 'source', encryption, isAccepted: true };
      expect(server.logins).toEqual([login, login]); // the driver tests one before it opens its pool
    },
  );

  it.each([
    ['required', 'false', /Server requires encryption/],
    ['none', 'strict', /./],
    ['strict', 'true', /./],
  ] as const)('refuses, on a server with “%s”, a client that says %s', async (tls, encrypt, message) => {
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

  it('uses the certificate that it is given', async () => {
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

  it('reports the queries and the number of connections', async () => {
    await start();
    const pool = await open();
    await pool.query(countBig);
    expect(server.queries).toContain(countBig);
    expect(server.connections).toBe(1);
    await pools.pop()!.close();
    await waitFor(() => server.connections === 0, { description: 'the connection to end' });
  });
});

it('reads no more from PostgreSQL than its client reads', async () => {
  await start();
  const pool = await open();
  const { request, run } = streamed(pool, selectAllBig);
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
  expect(rows).toBeLessThan(bigCount / 10);
  request.resume();
  await done;
  expect(rows).toBe(bigCount);
});

it('continues to serve after a client resets its connection', async () => {
  await start();
  for (const sent of ['', '\x12', '\x16\x03\x01', 'GET / HTTP/1.1\r\n\r\n']) {
    const socket = createConnection(server.port, '127.0.0.1');
    await once(socket, 'connect');
    if (sent) await new Promise((resolve) => socket.write(sent, resolve));
    await waitFor(() => server.connections === 1, { description: 'the connection' });
    socket.resetAndDestroy();
    await waitFor(() => server.connections === 0, { description: 'the connection to end' });
  }
  await open();
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
