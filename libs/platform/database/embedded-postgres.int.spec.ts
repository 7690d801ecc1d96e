import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  chmodSync,
  cpSync,
  lstatSync,
  mkdirSync,
  readFileSync,
  realpathSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { type AddressInfo, createServer } from 'node:net';
import { join } from 'node:path';
import { createDataDir } from '../../../test/support/data-dir';
import { execute } from '../../../test/support/database';
import { removeDataDir } from '../../../test/support/remove-data-dir.cjs';
import { waitFor } from '../../../test/support/wait-for';
import { type EmbeddedPostgres, findEmbeddedPostgres, startEmbeddedPostgres } from './embedded-postgres';

const settings = { fsync: 'off', shared_buffers: '16MB' };
const log = jest.fn();
const dir = createDataDir();
const servers: EmbeddedPostgres[] = [];
async function start(dataDir = dir.path): Promise<EmbeddedPostgres> {
  const server = await startEmbeddedPostgres({ dataDir, log, settings });
  servers.push(server);
  return server;
}

const pidFile = () => join(dir.path, 'postgres/data/postmaster.pid');
const pidOfServer = () => Number(readFileSync(pidFile(), 'utf8').split('\n')[0]);

/** Starts another process that starts the database and is then killed, without a chance to stop it. */
async function startAndKill(): Promise<void> {
  const child: ChildProcess = spawn(
    process.execPath,
    [
      '--conditions=source',
      `--require=${require.resolve('../../../test/support/register-typescript.cjs')}`,
      '--eval',
      `require(${JSON.stringify(require.resolve('./embedded-postgres'))})
      .startEmbeddedPostgres({ dataDir: ${JSON.stringify(dir.path)}, log() {}, settings: ${JSON.stringify(settings)} })
      .then(() => console.log('started'))`,
    ],
    { stdio: ['ignore', 'pipe', 'inherit'] },
  );
  const ended = once(child, 'exit');
  await Promise.race([
    once(child.stdout!, 'data'),
    ended.then(() => Promise.reject(new Error('it did not start'))),
  ]);
  child.kill('SIGKILL');
  await ended;
}

afterEach(async () => {
  for (const server of servers.splice(0)) await server.stop();
});
afterAll(() => dir.remove());

describe('startEmbeddedPostgres', () => {
  it('starts on 127.0.0.1, is found by its data folder, and finds its data again', async () => {
    expect(await findEmbeddedPostgres(dir.path)).toBeUndefined();
    const first = await start();
    await execute(first.url, `CREATE TABLE kept AS SELECT 'café' AS name`);
    expect(await execute(first.url, 'SHOW listen_addresses')).toEqual([{ listen_addresses: '127.0.0.1' }]);
    expect(await findEmbeddedPostgres(dir.path)).toBe(first.url);
    expect(statSync(join(dir.path, 'postgres.json')).mode & 0o777).toBe(0o600);
    await first.stop();
    expect(() => process.kill(first.pid, 0)).toThrow('ESRCH');
    expect(await findEmbeddedPostgres(dir.path)).toBeUndefined();

    const second = await start();
    expect(await execute(second.url, 'SELECT upper(name) AS name FROM kept')).toEqual([{ name: 'CAFÉ' }]);
  });

  it('is not found by a copy of its data folder, in which nothing runs', async () => {
    const { url } = await start();
    const copy = createDataDir();
    try {
      cpSync(join(dir.path, 'postgres.json'), join(copy.path, 'postgres.json'));
      mkdirSync(join(copy.path, 'postgres/data'), { recursive: true });
      expect(await findEmbeddedPostgres(copy.path)).toBeUndefined();
      expect(await findEmbeddedPostgres(dir.path)).toBe(url);
    } finally {
      copy.remove();
    }
  });

  it('refuses a data folder that a running process uses, and leaves that one alone', async () => {
    const running = await start();
    await expect(start()).rejects.toThrow(
      /^The embedded database cannot start in .*: another running process uses it/,
    );
    await execute(running.url, 'SELECT FROM kept');
  });

  it('refuses it, too, after all sessions of that process were ended', async () => {
    const running = await start();
    const held = `select pid from pg_locks where locktype = 'advisory'`;
    const [{ pid }] = await execute<{ pid: number }>(running.url, held);
    await execute(running.url, `select pg_terminate_backend(${pid}, 10000)`);
    await waitFor(async () => (await execute(running.url, held)).length === 1, { description: 'the lock' });
    await expect(start()).rejects.toThrow(/another running process uses it/);
    await execute(running.url, 'SELECT FROM kept');
  });

  it('stops the server that a killed process left running, and starts anew', async () => {
    await startAndKill();
    const left = pidOfServer();
    expect(process.kill(left, 0)).toBe(true);
    const server = await start();
    expect(server.pid).not.toBe(left);
    await execute(server.url, 'SELECT FROM kept');
  });

  it('recovers when the server was killed too', async () => {
    await startAndKill();
    process.kill(pidOfServer(), 'SIGKILL');
    const server = await start();
    await execute(server.url, 'SELECT FROM kept');
  });

  it('recovers when the pid of the killed server is now that of another process', async () => {
    await startAndKill();
    process.kill(pidOfServer(), 'SIGKILL');
    writeFileSync(pidFile(), readFileSync(pidFile(), 'utf8').replace(/^\d+/, String(process.pid)));
    const server = await start();
    await execute(server.url, 'SELECT FROM kept');
  });

  it('keeps the files elsewhere when the user of the database cannot enter the data folder', async () => {
    const outer = createDataDir();
    chmodSync(outer.path, 0o700);
    const inner = join(outer.path, 'data');
    try {
      const server = await start(inner);
      await execute(server.url, 'SELECT 1');
      await server.stop();
      const link = join(inner, 'postgres');
      const isRoot = process.getuid?.() === 0;
      expect(lstatSync(link).isSymbolicLink()).toBe(isRoot);
      if (isRoot) expect(log).toHaveBeenLastCalledWith(expect.stringContaining(realpathSync(link)));
      const again = await start(inner);
      await execute(again.url, 'SELECT 1');
    } finally {
      removeDataDir(inner);
      outer.remove();
    }
  });

  it('says in one line that a data folder is unusable', async () => {
    const file = join(dir.path, 'file');
    writeFileSync(file, '');
    await expect(start(file)).rejects.toThrow(/^The embedded database cannot start in .*file: EEXIST.*$/);
    const half = join(dir.path, 'half');
    mkdirSync(join(half, 'postgres/data'), { recursive: true });
    await expect(start(half)).rejects.toThrow(
      /^The embedded database cannot start in .*half: .*postgres\.json.*$/,
    );
  });

  it('says in one line why PostgreSQL did not start', async () => {
    const failing = startEmbeddedPostgres({ dataDir: dir.path, log, settings: { work_mem: 'much' } });
    await expect(failing).rejects.toThrow(
      /^PostgreSQL did not start: invalid value for parameter "work_mem".*$/,
    );
  });
});

it('is not found where something else has its port and does not answer', async () => {
  const { path, remove } = createDataDir();
  const silent = createServer();
  await once(silent.listen(0, '127.0.0.1'), 'listening');
  const { port } = silent.address() as AddressInfo;
  const access = { port, password: 'x', database: 'practice' };
  writeFileSync(join(path, 'postgres.json'), JSON.stringify(access));
  expect(await findEmbeddedPostgres(path)).toBeUndefined();
  silent.close();
  remove();
}, 10_000);
