import { createTestDatabase, type TestDatabase } from '../database';
import { bigCount, createBigTable, readBig, selectAllBig } from './big-table';
import { connect } from './driver';
import { startTdsProcess } from './tds-process';
import { TdsServer } from './tds-server';

let database: TestDatabase;

beforeAll(async () => {
  database = await createTestDatabase();
  await createBigTable(database.url);
});
afterAll(() => database?.drop());

it('serves, fails when told to, reports what it received, and ends', async () => {
  const server = await startTdsProcess({ database: database.url, password: 'p' });
  try {
    const pool = await connect(server.connectionString(), {
      ca: server.caCertificate,
      requestTimeout: 120_000,
    });
    await server.fail({ drop: { table: 'Big', afterRows: 77, times: Number.POSITIVE_INFINITY } });
    for (const _ of [1, 2]) expect(await readBig(pool)).toEqual({ rows: 77, error: { code: 'ECONNRESET' } });
    await server.fail({ drop: undefined });
    expect(await readBig(pool)).toEqual({ rows: bigCount });
    expect(await server.state()).toMatchObject({
      connections: 1,
      queries: expect.arrayContaining([selectAllBig]),
    });
    await expect(
      connect(server.connectionString({ password: 'q' }), { ca: server.caCertificate }),
    ).rejects.toThrow('Login failed');
    await pool.close();
  } finally {
    await server.stop();
  }
  await expect(server.state()).rejects.toThrow();
});

it('says why it does not start', async () => {
  const server = await TdsServer.start({ database: database.url });
  const taken = { database: database.url, port: server.port };
  await expect(startTdsProcess(taken)).rejects.toThrow('EADDRINUSE');
  await server.close();
});
