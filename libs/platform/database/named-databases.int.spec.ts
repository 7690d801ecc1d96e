import { randomBytes } from 'node:crypto';
import { Client } from 'pg';
import { createTestDatabase, execute, type TestDatabase } from '../../../test/support/database';
import { Config } from '../config';
import { startupProblem } from '../process/startup-problem';
import { migrateDatabases, requireOwnDatabases } from './named-databases';

/** The schemas of a database that belong to the events, and to the read models. */
const EVENTS = ['event_store', 'platform', 'webhooks', 'import'];
const READ_MODELS = ['read_model'];

describe('the databases that the configuration names', () => {
  let databases: TestDatabase[];
  let first: string;
  let second: string;
  beforeEach(async () => {
    databases = [await createTestDatabase(), await createTestDatabase()];
    [first, second] = databases.map(({ url }) => url);
  });
  afterEach(() => Promise.all(databases.map((database) => database.drop())));

  const given = (DATABASE_URL: string, READ_DATABASE_URL?: string) =>
    Object.assign(new Config(), { DATABASE_URL, READ_DATABASE_URL });

  async function without(url: string, schemas: string[], set: string): Promise<void> {
    await execute(url, `drop schema ${schemas} cascade`);
    await execute(url, `drop table migrations_${set}, migrations_${set}_lock`);
  }

  async function install(url: string): Promise<void> {
    await begin(url);
    await append(url);
  }

  async function begin(url: string): Promise<void> {
    const key = randomBytes(8).toString('hex');
    await execute(
      url,
      `insert into platform.installation (region, partitions, key_check) values ('uk', 12, '${key}')`,
    );
  }

  async function append(url: string): Promise<void> {
    await execute(
      url,
      `insert into event_store.events
         (tenant_id, stream_id, version, epoch, partition, event_id, type, schema_version, data, metadata, recorded_at)
       values (1, gen_random_uuid(), 1, 1, 0, gen_random_uuid(), 'RoleCreated', 1, '{}', '{}', now())`,
    );
  }

  const schemas = async (url: string) =>
    (await execute<{ nspname: string }>(url, 'select nspname from pg_namespace')).map(
      ({ nspname }) => nspname,
    );

  it('may be empty, may be one for both, or may each be one part of a former single database', async () => {
    await without(first, EVENTS, 'write');
    await without(first, READ_MODELS, 'read');
    const { write, read } = await migrateDatabases(given(first));
    expect([write[0], read[0]]).toEqual(['0001-platform.sql', '0001-read-models.sql']);
    await install(first);
    await requireOwnDatabases(given(first));
    await requireOwnDatabases(given(first, first));
    // The tables in the second database were made by mistake, and never used.
    await requireOwnDatabases(given(first, second));
    await without(first, READ_MODELS, 'read');
    await without(second, EVENTS, 'write');
    await requireOwnDatabases(given(first, second));
  });

  it('are refused and left unchanged when they are swapped', async () => {
    await install(first);
    await without(first, READ_MODELS, 'read');
    await without(second, EVENTS, 'write');
    const swapped = given(second, first);
    const line = /DATABASE_URL is a database of read models .* in the place of READ_DATABASE_URL\?$/;
    await expect(migrateDatabases(swapped)).rejects.toThrow(line);
    await expect(migrateDatabases(swapped, ['write'])).rejects.toThrow(line);
    expect(await schemas(second)).not.toContain('event_store');
    expect(await schemas(first)).not.toContain('read_model');
  });

  it('are refused when the read models would be stored beside the events of another installation', async () => {
    await install(first);
    await install(second);
    await without(second, READ_MODELS, 'read');
    const line = /READ_DATABASE_URL is a database with events, .* of another installation$/;
    await expect(migrateDatabases(given(first, second))).rejects.toThrow(line);
    expect(await schemas(second)).not.toContain('read_model');
    await migrateDatabases(given(first, second), ['write']);
    await without(first, EVENTS, 'write');
    await without(first, READ_MODELS, 'read');
    await expect(migrateDatabases(given(first, second))).rejects.toThrow(line);
    expect(await schemas(first)).not.toContain('event_store');
  });

  it('may be one in which the role of the read models may not see the events', async () => {
    await install(first);
    const role = `reads_${randomBytes(6).toString('hex')}`;
    await execute(first, `create role ${role} login password 'reads'`);
    const reads = new URL(first);
    [reads.username, reads.password] = [role, 'reads'];
    await requireOwnDatabases(given(first, reads.href));
    await execute(first, `drop role ${role}`);
  });

  it('may be one whose first event arrives during the check', async () => {
    await begin(first);
    const end = Client.prototype.end as () => Promise<void>;
    jest.spyOn(Client.prototype, 'end').mockImplementationOnce(async function (this: Client) {
      await append(first);
      await end.call(this);
    } as never);
    await requireOwnDatabases(given(first, first));
    expect(await execute(first, 'select from event_store.events')).toHaveLength(1);
  });

  it('are checked after another process has migrated them, however long that takes', async () => {
    await install(first);
    const migrating = new Client(first);
    await migrating.connect();
    jest.useFakeTimers({ doNotFake: ['nextTick', 'setImmediate', 'queueMicrotask', 'performance', 'Date'] });
    try {
      await migrating.query('begin; lock table event_store.events');
      const looking = requireOwnDatabases(given(first, first));
      const settled = looking.catch((error: Error) => error);
      const waiting = `select from pg_locks where not granted and relation = $1::regclass
        and database = (select oid from pg_database where datname = current_database())`;
      while ((await migrating.query(waiting, ['event_store.events'])).rowCount === 0);
      jest.advanceTimersByTime(600_000);
      await migrating.query('commit');
      expect(await settled).toBeUndefined();
    } finally {
      jest.useRealTimers();
      await migrating.end();
    }
  });

  it('are told apart by the message when one does not answer', async () => {
    const away = 'postgres://reads@127.0.0.1:1/none';
    const problem = (config: Config) => requireOwnDatabases(config).then(() => undefined, startupProblem);
    expect(await problem(given(first, away))).toMatch(/^READ_DATABASE_URL: The database does not answer/);
    expect(await problem(given(away, first))).toMatch(/^DATABASE_URL: The database does not answer/);
    expect(await problem(given(away))).toMatch(/^The database does not answer/);
  });
});
