import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createTestDatabase, execute, type TestDatabase } from '../../../test/support/database';
import { SilentRoute } from '../../../test/support/silent-route';
import { databaseRefusal } from './database-refusal';
import { type MigrationSet, migrate as migrateSet } from './migrate';

let database: TestDatabase;
let folder: string;
/** The files that were announced before they were applied. */
let announced: (readonly string[])[];
const migrate = (url: string, set: MigrationSet, from: string) =>
  migrateSet(url, set, (_, files) => announced.push(files), from);
const add = (name: string, sql: string) => writeFileSync(join(folder, name), sql);

beforeEach(async () => {
  announced = [];
  database = await createTestDatabase();
  await execute(database.url, 'DROP TABLE migrations_write, migrations_write_lock');
  folder = mkdtempSync(join(tmpdir(), 'practice-migrations-'));
});

afterEach(async () => {
  rmSync(folder, { recursive: true });
  await database.drop();
});

describe('migrate', () => {
  it('applies each file once, in the order of the names', async () => {
    add('0002-fill.sql', `INSERT INTO t VALUES ('{"a": 1}'); SELECT d ? 'a', $$?$$ FROM t;`);
    add('0001-make.sql', 'CREATE TABLE t (d jsonb);');
    expect(await migrate(database.url, 'write', folder)).toEqual(['0001-make.sql', '0002-fill.sql']);
    add('0003-more.sql', 'ALTER TABLE t ADD COLUMN more int');
    expect(await migrate(database.url, 'write', folder)).toEqual(['0003-more.sql']);
    expect(await migrate(database.url, 'write', folder)).toEqual([]);
    expect(announced).toEqual([['0001-make.sql', '0002-fill.sql'], ['0003-more.sql']]);
  });

  it('lets processes that start at once take turns', async () => {
    add('0001-make.sql', 'CREATE TABLE t (id int); SELECT pg_sleep(0.1)');
    const results = await Promise.all([1, 2, 3, 4].map(() => migrate(database.url, 'write', folder)));
    expect(results.flat()).toEqual(['0001-make.sql']);
  });

  it('goes on after a process was killed while it migrated', async () => {
    await migrate(database.url, 'write', folder);
    await execute(database.url, 'UPDATE migrations_write_lock SET is_locked = 1');
    add('0001-make.sql', 'CREATE TABLE t (id int)');
    expect(await migrate(database.url, 'write', folder)).toEqual(['0001-make.sql']);
  });

  it('lets an older program start beside a newer one that has migrated already', async () => {
    add('0001-make.sql', 'CREATE TABLE t (id int)');
    add('0003-of-both.sql', 'ALTER TABLE t ADD COLUMN more int');
    add('0002-newer.sql', 'CREATE TABLE u (id int)');
    await migrate(database.url, 'write', folder);
    rmSync(join(folder, '0002-newer.sql'));
    expect(await migrate(database.url, 'write', folder)).toEqual([]);
  });

  it('heeds none of the time limits that an operator has set for the database', async () => {
    const name = new URL(database.url).pathname.slice(1);
    for (const limit of ['statement', 'transaction', 'idle_in_transaction_session'])
      await execute(database.url, `ALTER DATABASE ${name} SET ${limit}_timeout = '100ms'`);
    add('0001-slow.sql', 'SELECT pg_sleep(0.3)');
    expect(await migrate(database.url, 'write', folder)).toEqual(['0001-slow.sql']);
  });

  it('gives up on a server that is silent, within seconds', async () => {
    const route = await SilentRoute.to(database.url);
    route.fallSilent();
    const error = await migrate(route.url, 'write', folder).catch((thrown: Error) => thrown);
    expect(databaseRefusal(error)).toBe('The database does not answer: timeout expired');
    await route.close();
  });

  it('names the file that fails, leaves nothing of it behind, and goes on once it is mended', async () => {
    add('0001-make.sql', 'CREATE TABLE t (id int)');
    add('0002-bad.sql', 'CREATE TABLE u (id int); SELECT nonsense');
    await expect(migrate(database.url, 'write', folder)).rejects.toThrow(
      /^Migration .*0002-bad\.sql failed: column "nonsense" does not exist$/,
    );
    add('0002-bad.sql', 'CREATE TABLE u (id int)');
    expect(await migrate(database.url, 'write', folder)).toEqual(['0002-bad.sql']);
  });

  it('makes the read models anew in a database that was restored without them, whatever its record says', async () => {
    const tables = () =>
      execute(
        database.url,
        "SELECT tablename FROM pg_tables WHERE schemaname = 'read_model' ORDER BY tablename",
      );
    const before = await tables();
    await execute(database.url, 'DROP SCHEMA read_model CASCADE');
    const [applied, ...others] = (
      await Promise.all([1, 2, 3].map(() => migrateSet(database.url, 'read')))
    ).sort((one, other) => other.length - one.length);
    expect([applied[0], others]).toEqual(['0001-read-models.sql', [[], []]]);
    expect(await tables()).toEqual(before);
    expect(await migrateSet(database.url, 'read')).toEqual([]);
  });
});
