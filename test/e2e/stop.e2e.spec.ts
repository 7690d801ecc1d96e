import { randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { Agent, request } from 'node:http';
import { connect, type Socket } from 'node:net';
import { join } from 'node:path';
import { Client } from 'pg';
import { ApiClient, requestToken, send } from '../support/client';
import { createDataDir } from '../support/data-dir';
import { createTestDatabase, type TestDatabase } from '../support/database';
import { type RunningApp, startApp } from '../support/process';
import { waitFor } from '../support/wait-for';
import { listingVariables, workItemListing } from './specification-walk';

const demo = { clientId: 'demo-client', clientSecret: 'demo-secret' };
const folder = createDataDir();
const running: RunningApp[] = [];
const sockets: Socket[] = [];
const agent = new Agent({ keepAlive: true });
let database: TestDatabase;
/** Holds locks in the database, and sees who waits for them. */
let holder: Client;
let token: string;
let [local, embedded, projector, command, query, stuckCommand, stuckQuery] = Array<RunningApp>(7);

beforeAll(async () => {
  database = await createTestDatabase();
  holder = new Client(database.url);
  await holder.connect();
  const env = { DATABASE_URL: database.url, SECRETS_KEY: randomBytes(32).toString('base64') };
  const start = async (name: Parameters<typeof startApp>[0], given: Record<string, string> = env) => {
    const app = await startApp(name, given);
    running.push(app);
    return app;
  };
  [local, embedded] = await Promise.all([start('local'), start('local', { DATA_DIR: folder.path })]);
  const others = ['projector', 'command', 'query', 'command', 'query'] as const;
  [projector, command, query, stuckCommand, stuckQuery] = await Promise.all(
    others.map((name) => start(name)),
  );
  token = (await requestToken(local.baseUrl, demo)).body.access_token;
});
afterAll(async () => {
  agent.destroy();
  for (const socket of sockets) socket.destroy();
  await Promise.all(running.map((app) => app.stop('SIGKILL')));
  await holder.end();
  await database.drop();
  folder.remove();
});

const caller = ({ baseUrl }: RunningApp) => new ApiClient('demo', token, { writes: baseUrl, reads: baseUrl });
const write = (app: RunningApp) =>
  caller(app).post('entities', { entityType: 'Individual', firstName: 'Ada', lastName: 'Lovelace' });
const report = (app: RunningApp) => caller(app).graphql(workItemListing, listingVariables());

/** Locks a table against reads and writes, until the holder rolls back. */
async function lock(table: string): Promise<void> {
  await holder.query(`begin; lock table ${table} in access exclusive mode`);
}

async function blocked(): Promise<void> {
  const waiting = `select from pg_locks where not granted
    and database = (select oid from pg_database where datname = current_database())`;
  await waitFor(async () => (await holder.query(waiting)).rowCount, { description: 'a wait for the lock' });
}

async function gone({ baseUrl }: RunningApp): Promise<void> {
  const refused = () =>
    send('GET', `${baseUrl}/health/live`).then(
      () => false,
      ({ cause }) => cause.code === 'ECONNREFUSED',
    );
  await waitFor(refused, { description: 'new connections to be refused' });
}

async function open({ baseUrl }: RunningApp): Promise<Socket> {
  const socket = connect(Number(new URL(baseUrl).port), '127.0.0.1');
  socket.on('error', () => undefined);
  sockets.push(socket);
  await new Promise<void>((connected) => socket.once('connect', connected));
  return socket;
}

/** Begins a request, and sends a byte of its body now and then. */
async function trickle(app: RunningApp): Promise<void> {
  const socket = await open(app);
  const type = 'Content-Type: application/x-www-form-urlencoded';
  socket.write(`POST /oauth2/token HTTP/1.1\r\nHost: x\r\n${type}\r\nContent-Length: 9999\r\n\r\n`);
  const timer = setInterval(() => socket.write('x'), 100);
  socket.once('close', () => clearInterval(timer));
}

interface Probed {
  status?: number;
  connection?: string;
  body: object;
}

/** Asks on a connection that is kept open, if there is one. */
function probe({ baseUrl }: RunningApp, path: string): Promise<Probed> {
  return new Promise((resolve, reject) => {
    const asked = request(baseUrl + path, { agent }, async (response) => {
      const { statusCode: status, headers } = response;
      let text = '';
      for await (const chunk of response) text += chunk;
      resolve({ status, connection: headers.connection, body: JSON.parse(text) });
    });
    asked.once('error', reject).end();
  });
}

const problems = (app: RunningApp) =>
  app
    .output()
    .split('\n')
    .filter((line) => line.includes('"level":50'))
    .map((line) => JSON.parse(line).msg);

/**
 * A process ends with 0 when everything was done in time, and otherwise logs what was not. Only the process's own clock
 * matters.
 */
describe('a process that is told to stop', () => {
  it.each([
    { name: 'command', app: () => command, table: 'event_store.events', ask: write, status: 201 },
    { name: 'query', app: () => query, table: 'read_model.work_items', ask: report, status: 200 },
  ])('$name: answers requests in progress, and those that still arrive', async (given) => {
    const app = given.app();
    expect(await probe(app, '/health/ready')).toMatchObject({ status: 200, connection: 'keep-alive' });
    await lock(given.table);
    const asking = given.ask(app);
    await blocked();

    const ended = app.stop();
    const refusing = async () => {
      const answer = await probe(app, '/health/ready');
      return answer.status === 503 && answer;
    };
    expect(await waitFor(refusing, { description: 'readiness to end' })).toEqual({
      status: 503,
      connection: 'close',
      body: { status: 'stopping' },
    });
    process.kill(app.pid, 'SIGINT');
    await gone(app);
    await holder.query('rollback');
    const { status, body, headers } = await asking;
    expect({ status, errors: body.errors }).toEqual({ status: given.status });
    expect(headers.get('connection')).toBe('close');
    expect(await ended).toBe(0);
    expect(problems(app)).toEqual([]);
  });

  it.each([
    { name: 'projector', app: () => projector },
    { name: 'local', app: () => local },
  ])('$name: does not wait for connections without a request', async (given) => {
    const app = given.app();
    await probe(app, '/health/live');
    await open(app);
    expect(await app.stop()).toBe(0);
    expect(problems(app)).toEqual([]);
  });

  it('logs what it waited for in vain, and fails', async () => {
    await Promise.all([stuckCommand, embedded].map(trickle));
    await lock('read_model.work_items');
    const cutOff = report(stuckQuery).catch((error: Error) => error.message);
    await blocked();
    // A terminal that is closed sends SIGHUP.
    const codes = await Promise.all([stuckCommand.stop(), embedded.stop('SIGHUP'), stuckQuery.stop()]);
    await holder.query('rollback');
    expect(codes).toEqual([1, 1, 1]);

    const request = 'Stopping: gave up after 7 s waiting for 1 request(s): POST';
    for (const app of [stuckCommand, embedded]) expect(problems(app)).toEqual([`${request} /oauth2/token`]);
    expect(problems(stuckQuery)).toEqual([
      `${request} /:tenant/graphql`,
      'Stopping: gave up after 9 s waiting for ReadDatabase',
    ]);
    expect(await cutOff).toBe('fetch failed');
    expect(existsSync(join(folder.path, 'postgres/data/postmaster.pid'))).toBe(false);
  });
});
