import type { ConnectionPool } from 'mssql';
import { createTestDatabase, type TestDatabase } from '../database';
import { waitFor } from '../wait-for';
import { bigCount, countBig, createBigTable, readBig, selectAllBig } from './big-table';
import { connect, rowsOf, streamed } from './driver';
import type { Faults } from './faults';
import type { ConnectionStringParts } from './tds-options';
import { TdsServer } from './tds-server';

let database: TestDatabase;
let server: TdsServer;
const pools: ConnectionPool[] = [];

beforeAll(async () => {
  database = await createTestDatabase();
  await createBigTable(database.url);
});
beforeEach(async () => {
  server = await TdsServer.start({ database: database.url });
});
afterEach(async () => {
  await Promise.all(pools.splice(0).map((pool) => pool.close()));
  await server?.close();
});
afterAll(() => database?.drop());

async function open(parts: ConnectionStringParts = {}, ca = server.caCertificate): Promise<ConnectionPool> {
  const more = { ca, connectionTimeout: 5_000, requestTimeout: 120_000 };
  const pool = await connect(server.connectionString(parts), more);
  pools.push(pool);
  return pool;
}

const fail = (faults: Faults) => Object.assign(server.faults, faults);

it.each([true, false])('drops the connection after the given rows (encrypted: %s)', async (encrypted) => {
  const pool = await open({ encrypt: encrypted ? 'true' : 'false' });
  fail({ drop: { table: 'Big', afterRows: 1234, times: 1 } });
  expect(await readBig(pool)).toEqual({ rows: 1234, error: { code: 'ECONNRESET' } });
  expect(await readBig(pool)).toEqual({ rows: bigCount });
});

it('stalls after rows until it is released, and can be cancelled meanwhile', async () => {
  const pool = await open();
  fail({ stall: { table: 'Big', afterRows: 10 } });
  const first = streamed(pool, selectAllBig);
  let rows = 0;
  const done = first.run(() => rows++);
  await waitFor(() => rows === 10, { description: 'the rows before the stall' });
  fail({ stall: undefined });
  await done;
  expect(rows).toBe(bigCount);

  fail({ stall: { table: 'Big', afterRows: 5 } });
  const second = streamed(pool, selectAllBig);
  const cancelled = second.run(() => {});
  second.request.cancel();
  await expect(cancelled).rejects.toMatchObject({ code: 'ECANCEL' });
  expect((await pool.query(countBig)).recordset).toEqual([{ rows: String(bigCount) }]);
});

it.each([
  [1205, 0],
  [1205, 100],
  [40613, 0],
])('answers error %d after %d rows, the given number of times', async (number, afterRows) => {
  const pool = await open();
  fail({ error: { number, table: 'Big', afterRows, times: 2 } });
  for (const _ of [1, 2]) {
    expect(await readBig(pool)).toEqual({ rows: afterRows, error: { code: 'EREQUEST', number } });
  }
  expect(await readBig(pool)).toEqual({ rows: bigCount });
});

it.each([
  [18456, 1, "Login failed for user 'importer'."],
  [40613, 4, 'is not currently available'], // the driver itself tries again three times
])('refuses logins with %d', async (number, times, message) => {
  fail({ refuseLogin: { number } });
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
  expect(await readBig(pool)).toMatchObject({ rows: 0, error: { number } });
  const names = await rowsOf(
    pool,
    'select TABLE_NAME as [table], COLUMN_NAME as [column], DATA_TYPE as [type] from INFORMATION_SCHEMA.COLUMNS where TABLE_SCHEMA = @schema',
    { schema: 'etl' },
  );
  expect(names.length).toBe({ 208: 0, 207: 1, 229: 0 }[number]);
});

it('ends open connections when it is closed', async () => {
  const pool = await open();
  fail({ stall: { table: 'Big', afterRows: 10 } });
  const { run } = streamed(pool, selectAllBig);
  let rows = 0;
  const done = run(() => rows++);
  await waitFor(() => rows === 10, { description: 'rows' });
  await server.close();
  await expect(done).rejects.toThrow();
});
