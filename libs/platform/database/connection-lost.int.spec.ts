import { once } from 'node:events';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { Client, Pool } from 'pg';
import { createTestDatabase, execute, type TestDatabase } from '../../../test/support/database';
import { freePort } from '../../../test/support/process';
import { isConnectionLost, isOutage } from './connection-lost';
import { CopyStream } from './copy-rows';
import { CopyText } from './copy-text';

/** The errors that pg really throws. */
describe('an error tells that the connection is lost', () => {
  let test: TestDatabase;
  let client: Client;
  let other: Client;

  beforeAll(async () => {
    test = await createTestDatabase();
  });
  afterAll(() => test.drop());
  beforeEach(async () => {
    client = new Client(test.url);
    client.on('error', () => undefined);
    other = new Client(test.url);
    await Promise.all([client.connect(), other.connect()]);
  });
  afterEach(() => Promise.all([client.end(), other.end()]));

  const failureOf = (work: Promise<unknown>) =>
    work.then(
      () => 'none',
      (error: Error) => error,
    );
  async function terminate(): Promise<void> {
    const { rows } = await client.query('select pg_backend_pid() as pid');
    const ended = new Promise((resolve) => client.once('end', resolve));
    await other.query('select pg_terminate_backend($1)', [rows[0].pid]);
    await ended;
  }

  it('when the connection ends while a query waits', async () => {
    const { rows } = await client.query('select pg_backend_pid() as pid');
    const failure = failureOf(client.query('select pg_sleep(60)'));
    await other.query('select pg_terminate_backend($1)', [rows[0].pid]);
    expect(isConnectionLost(await failure)).toBe(true);
  });

  it('when the connection ended before a query', async () => {
    await terminate();
    expect(isConnectionLost(await failureOf(client.query('select 1')))).toBe(true);
  });

  it('when the connection ends while rows are copied, or before', async () => {
    await client.query('create temporary table target (id integer)');
    const { rows } = await client.query('select pg_backend_pid() as pid');
    let terminated: Promise<unknown> | undefined;
    const copied = async (count: number) => {
      const [stream, text] = [new CopyStream(client, 'target (id)'), new CopyText()];
      for (let id = 0; id < count; id++) {
        if (id === 200_000) terminated = other.query('select pg_terminate_backend($1)', [rows[0].pid]);
        text.row([id]);
        if (text.length > 65_536) await stream.write(text.take());
      }
      await stream.write(text.take());
      await stream.end();
    };
    expect(isConnectionLost(await failureOf(copied(5_000_000)))).toBe(true);
    await terminated;
    expect(isConnectionLost(await failureOf(copied(1)))).toBe(true);
  });

  it('when no server listens', async () => {
    const pool = new Pool({ host: '127.0.0.1', port: await freePort() });
    expect(isConnectionLost(await failureOf(pool.query('select 1')))).toBe(true);
    await pool.end();
  });

  it('when the server does not answer', async () => {
    const sockets: Socket[] = [];
    const mute = createServer((socket) => sockets.push(socket)).listen(0, '127.0.0.1');
    await once(mute, 'listening');
    const { port } = mute.address() as AddressInfo;
    const options = { host: '127.0.0.1', port, connectionTimeoutMillis: 50 };
    const lonely = new Client(options);
    const pool = new Pool(options);
    expect(isConnectionLost(await failureOf(lonely.connect()))).toBe(true);
    expect(isConnectionLost(await failureOf(pool.query('select 1')))).toBe(true);
    await pool.end();
    for (const socket of sockets) socket.destroy();
    await once(mute.close(), 'close');
  });

  it('when the database takes no connections or does not exist, as during a restore', async () => {
    const name = new URL(test.url).pathname.slice(1);
    const url = (database: string) => test.url.replace(name, database);
    const admit = (is: boolean) => execute(url('postgres'), `alter database ${name} allow_connections ${is}`);
    await admit(false);
    for (const database of [name, `${name}_before`]) {
      const failure = await failureOf(new Client(url(database)).connect());
      expect(isConnectionLost(failure)).toBe(true);
      expect(isOutage(failure)).toBe(true);
    }
    await admit(true);
  });

  it('but not when only the query fails', async () => {
    expect(isConnectionLost(await failureOf(client.query('select 1/0')))).toBe(false);
  });
});
