import { randomBytes } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Config, ConfigError } from '#platform/config';
import { secretsKey, testConfig } from '../../test/support/auth-application';
import { createTestDatabase, execute, type TestDatabase } from '../../test/support/database';
import { run } from './cli';

describe('the databases that the command line finds', () => {
  let test: TestDatabase;
  let out: string[];
  let err: string[];

  beforeAll(async () => {
    test = await createTestDatabase();
    out = [];
    err = [];
    // A database in use: its region and key are recorded.
    expect(await cli('tenants create --alias acme --name Acme')).toBe(0);
  });
  afterAll(() => test.drop());
  beforeEach(() => {
    out = [];
    err = [];
  });

  /** Runs a command line, split at blanks. */
  const cli = (line: string, config: () => Config = () => testConfig(test.url)) =>
    run(line.split(' '), { config, out: (text) => out.push(text), err: (text) => err.push(text) });

  it('says in one line what is wrong with the database', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'cli-'));
    const nothing = () => Object.assign(new Config(), { DATA_DIR: folder });
    expect(await cli('tenants list', nothing)).toBe(1);
    expect(err.pop()).toBe(`No database runs in ${folder}: start it with npm start, or set DATABASE_URL`);

    const unreachable = () => testConfig('postgres://somebody:secret@127.0.0.1:1/none');
    expect(await cli('tenants list', unreachable)).toBe(1);
    expect(err.pop()).toMatch(/^The database does not answer: [^\n]+$/);

    const withoutPassword = new URL(test.url);
    withoutPassword.password = '';
    expect(await cli('tenants list', () => testConfig(withoutPassword.href))).toBe(1);
    expect(err.pop()).toBe('The database does not answer: it wants a password, and its address has none');

    const empty = new URL(test.url);
    empty.pathname = 'postgres';
    expect(await cli('tenants list', () => testConfig(empty.href))).toBe(1);
    expect(err.pop()).toMatch(/^The database has no tables yet/);

    const noKey = () => Object.assign(testConfig(test.url), { SECRETS_KEY: undefined, DATA_DIR: folder });
    await writeFile(join(folder, 'secrets.key'), `${secretsKey}\n`);
    expect(await cli('tenants list', noKey)).toBe(1);
    expect(err.pop()).toMatch(/^SECRETS_KEY is required/);

    const otherKey = () =>
      Object.assign(testConfig(test.url), { SECRETS_KEY: randomBytes(32).toString('base64') });
    expect(await cli('tenants list', otherKey)).toBe(1);
    expect(err.pop()).toBe('SECRETS_KEY is not the key that this database was installed with');

    const wrong = () => {
      throw new ConfigError(['PORT is wrong', 'REGION is wrong']);
    };
    expect(await cli('tenants list', wrong)).toBe(1);
    expect(err.pop()).toBe('PORT is wrong; REGION is wrong');
    await rm(folder, { recursive: true });
  });

  it('names the one of two databases that does not answer', async () => {
    const away = 'postgres://somebody@127.0.0.1:1/none';
    const readsAway = () => Object.assign(testConfig(test.url), { READ_DATABASE_URL: away });
    for (const line of ['projections list', 'reports reconcile']) {
      expect(await cli(line, readsAway)).toBe(1);
      expect(err.pop()).toMatch(/^READ_DATABASE_URL: The database does not answer: [^\n]+$/);
    }
    const eventsAway = () => Object.assign(testConfig(away), { READ_DATABASE_URL: test.url });
    expect(await cli('projections list', eventsAway)).toBe(1);
    expect(err.pop()).toMatch(/^DATABASE_URL: The database does not answer/);
  });

  it('says that tables of an earlier release must be brought up to date', async () => {
    await execute(test.url, 'alter table platform.installation rename key_check to other');
    expect(await cli('tenants list')).toBe(1);
    await execute(test.url, 'alter table platform.installation rename other to key_check');
    expect(err).toEqual([
      expect.stringMatching(/^The database's tables are not up to date \(.*\): run the command migrate\.$/),
    ]);
  });

  it('migrates', async () => {
    const noKey = () => Object.assign(testConfig(test.url), { SECRETS_KEY: undefined });
    expect(await cli('migrate --json', noKey)).toBe(0);
    expect(JSON.parse(out[0])).toEqual({ write: [], read: [] });
    expect(await cli('migrate', noKey)).toBe(0);
    expect(out[1]).toBe('write  -\nread   -');
  });
});
