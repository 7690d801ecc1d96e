import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { requestToken } from '../support/client';
import { createTestDatabase, execute, type TestDatabase } from '../support/database';
import { cached, freePort, startApp } from '../support/process';

const secretsKey = randomBytes(32).toString('base64');
const root = join(__dirname, '../..');
let folder: string;
let database: TestDatabase;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'practice-startup-'));
  database = await createTestDatabase();
});
afterAll(async () => {
  rmSync(folder, { recursive: true });
  await database.drop();
});

/** Runs an app that must not start. @returns its output on each stream, and its exit code */
async function start(app: string, env: Record<string, string>) {
  const { PATH = '', HOME = '' } = process.env;
  const child = spawn(process.execPath, [...cached, join(root, 'dist/apps', app, 'main.js')], {
    cwd: root,
    env: { PATH, HOME, NODE_ENV: 'test', LOG_LEVEL: 'warn', PORT: String(await freePort()), ...env },
    timeout: 120_000,
  });
  const written = { stdout: '', stderr: '' };
  child.stdout.on('data', (chunk) => (written.stdout += chunk));
  child.stderr.on('data', (chunk) => (written.stderr += chunk));
  const [code] = await once(child, 'close');
  return { code, ...written };
}

async function expectOneLine(app: string, env: Record<string, string>, line: RegExp): Promise<void> {
  const { code, stdout, stderr } = await start(app, env);
  expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
  expect(stderr).toMatch(/^[^\n]+\n$/);
  expect(stderr).toMatch(line);
}

/** Lets every synchronous call on a folder wait for ever. */
function hangFolder(folder: string): void {
  const fs = require('node:fs');
  for (const name of ['mkdirSync', 'statSync', 'openSync'] as const) {
    const call = fs[name];
    fs[name] = (path: unknown, ...rest: unknown[]) => {
      if (String(path).startsWith(folder)) Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0);
      return call(path, ...rest);
    };
  }
}

const given = () => ({
  DATABASE_URL: database.url,
  SECRETS_KEY: secretsKey,
  DOCUMENTS_DIR: join(folder, 'documents'),
});
const everyApp = ['local', 'command', 'query', 'projector', 'worker'];

describe('a process that cannot start says why in one line', () => {
  it.each(everyApp)('%s: a taken port', async (app) => {
    const other = createServer();
    await once(other.listen(0, '127.0.0.1'), 'listening');
    const { port } = other.address() as { port: number };
    await expectOneLine(app, { ...given(), PORT: String(port) }, new RegExp(`Port ${port} .*taken.*PORT`));
    await once(other.close(), 'close');
  });

  it('an unknown host, or one that is another machine', async () => {
    await expectOneLine('query', { ...given(), HOST: 'nowhere.invalid' }, /HOST nowhere\.invalid/);
    await expectOneLine('query', { ...given(), HOST: '192.0.2.1' }, /HOST 192\.0\.2\.1/);
  });

  it('a data folder that is a file, or inside one', async () => {
    const file = join(folder, 'file');
    writeFileSync(file, 'not a folder');
    await expectOneLine('local', { DATA_DIR: file }, /DATA_DIR.*file/);
    await expectOneLine('local', { DATA_DIR: join(file, 'inside') }, /DATA_DIR.*inside/);
  });

  describe('a folder of documents', () => {
    const writing = ['local', 'command'];

    it.each(writing)('%s: that cannot be created or written', async (app) => {
      // Nobody can make a folder there, not even root.
      const DOCUMENTS_DIR = '/sys';
      await expectOneLine(app, { ...given(), DOCUMENTS_DIR }, /DOCUMENTS_DIR.*\/sys\/.*cannot be written: E/);
    });

    it.each(writing)('%s: that is a file, or inside one', async (app) => {
      const file = join(folder, 'file');
      writeFileSync(file, 'not a folder');
      for (const DOCUMENTS_DIR of [file, join(file, 'inside')])
        await expectOneLine(app, { ...given(), DOCUMENTS_DIR }, /DOCUMENTS_DIR.*file.*ENOTDIR/);
    });

    it('command: that hangs, as a network folder can', async () => {
      const DOCUMENTS_DIR = join(folder, 'hanging');
      const hanging = join(folder, 'hanging.cjs');
      writeFileSync(hanging, `(${hangFolder})(${JSON.stringify(DOCUMENTS_DIR)})`);
      const env = { ...given(), DOCUMENTS_DIR, NODE_OPTIONS: `--require ${hanging}` };
      await expectOneLine('command', env, /DOCUMENTS_DIR.*hanging.*does not answer/);
    });

    it('is created if it does not exist, and need not be writable for query', async () => {
      const DOCUMENTS_DIR = join(folder, 'not', 'made', 'yet');
      const command = await startApp('command', { ...given(), DOCUMENTS_DIR });
      // Only the installation's own folder: the trial file is gone.
      expect(readdirSync(DOCUMENTS_DIR, { recursive: true })).toHaveLength(1);
      expect(await command.stop()).toBe(0);
      const query = await startApp('query', { ...given(), DOCUMENTS_DIR: '/sys' });
      expect(await query.stop()).toBe(0);
    });
  });

  it.each(everyApp)('%s: a database that does not answer', async (app) => {
    const DATABASE_URL = `postgres://somebody:opensesame@127.0.0.1:${await freePort()}/none`;
    await expectOneLine(app, { ...given(), DATABASE_URL }, /^The database does not answer: (?!.*opensesame)/);
  });

  it('a missing database, or a wrong password', async () => {
    const missing = new URL(database.url);
    missing.pathname = '/missing';
    await expectOneLine('command', { ...given(), DATABASE_URL: missing.href }, /database.*missing/i);
    const stranger = new URL(database.url);
    stranger.username = 'stranger';
    await expectOneLine('command', { ...given(), DATABASE_URL: stranger.href }, /database.*stranger/i);
  });

  it('a database of another program, one without rights for its role, or one without free connections', async () => {
    const other = await createTestDatabase();
    await execute(other.url, 'drop table migrations_write, migrations_write_lock');
    const DATABASE_URL = other.url;
    await expectOneLine('command', { ...given(), DATABASE_URL }, /^Migration .*0001-platform.*exists$/m);
    const role = `guest_${randomBytes(6).toString('hex')}`;
    await execute(other.url, `create role ${role} login password 'guest'`);
    const guest = new URL(database.url);
    [guest.username, guest.password] = [role, 'guest'];
    const reading = { ...given(), READ_DATABASE_URL: guest.href };
    await expectOneLine(
      'query',
      reading,
      /^READ_DATABASE_URL: The database's role lacks a right: permission/,
    );
    await execute(other.url, `alter role ${role} connection limit 0`);
    await expectOneLine('query', reading, /^READ_DATABASE_URL: The database does not answer: too many/);
    await execute(other.url, `drop role ${role}`);
    await other.drop();
  });

  it('a database address without the password, with TLS that the server lacks, or with an unknown parameter', async () => {
    const password = new URL(database.url);
    password.password = '';
    const { password: hidden } = new URL(database.url);
    await expectOneLine('command', { ...given(), DATABASE_URL: password.href }, /^The database .* password/);
    const asking = (query: string) => ({ ...given(), DATABASE_URL: `${database.url}?${query}` });
    const saying = (line: string) => new RegExp(`^(?!.*${hidden}).*${line}`);
    await expectOneLine('query', asking('sslmode=verify-full'), saying('database .* SSL'));
    await expectOneLine('query', asking('options=-c%20nothing=1'), saying('database .* "nothing"'));
    const sslrootcert = join(folder, 'nowhere.pem');
    await expectOneLine(
      'query',
      asking(`sslrootcert=${sslrootcert}`),
      saying(`cannot be read: .*${sslrootcert}`),
    );
  });

  it('everything that is wrong at once', async () => {
    const { stderr } = await start('query', { PORT: 'x', REGION: 'us', SECRETS_KEY: 'x' });
    for (const name of ['PORT', 'REGION', 'SECRETS_KEY']) expect(stderr).toContain(name);
  });

  it.each(everyApp)('%s: production without database or key', async (app) => {
    const line = /DATABASE_URL is required.*SECRETS_KEY is required/;
    await expectOneLine(app, { NODE_ENV: 'production', DATA_DIR: join(folder, 'production') }, line);
    expect(existsSync(join(folder, 'production'))).toBe(false);
  });

  it.each(['command', 'query', 'projector', 'worker'])('%s: no database or no key', async (app) => {
    await expectOneLine(app, { SECRETS_KEY: secretsKey }, /DATABASE_URL is required/);
    await expectOneLine(app, { DATABASE_URL: database.url }, /SECRETS_KEY is required/);
  });
});

describe('production', () => {
  it('never creates the demo tenant, and shows no playground', async () => {
    const fresh = await createTestDatabase();
    const env = { ...given(), DATABASE_URL: fresh.url, NODE_ENV: 'production' };
    const app = await startApp('local', env);
    try {
      const demo = { clientId: 'demo-client', clientSecret: 'demo-secret' };
      const { status, body } = await requestToken(app.baseUrl, demo);
      expect({ status, error: body.error }).toEqual({ status: 401, error: 'invalid_client' });
      expect((await fetch(`${app.baseUrl}/demo/graphql`)).status).toBe(405);
      expect(app.output()).not.toContain('demo');
      expect(await execute(fresh.url, 'select alias from platform.tenants')).toEqual([]);
    } finally {
      expect(await app.stop()).toBe(0);
      await fresh.drop();
    }
  });

  it.each(everyApp)('%s: refuses a database that was installed for another region', async (app) => {
    await expectOneLine(app, { ...given(), REGION: 'au' }, /REGION is au.*installed for uk/);
  });

  it.each(everyApp)(
    '%s: refuses a key that is not the one that the database was installed with',
    async (app) => {
      const SECRETS_KEY = randomBytes(32).toString('base64');
      await expectOneLine(app, { ...given(), SECRETS_KEY }, /SECRETS_KEY is not the key/);
    },
  );
});
