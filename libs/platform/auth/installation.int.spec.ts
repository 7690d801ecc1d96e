import { WriteDatabase } from '#platform/database';
import { testConfig } from '../../../test/support/auth-application';
import { createTestDatabase, type TestDatabase } from '../../../test/support/database';
import { ensureInstallation } from './installation';
import { partitionOf, Tenants } from './tenants';

describe('the installation', () => {
  let test: TestDatabase;
  let database: WriteDatabase;

  beforeEach(async () => {
    test = await createTestDatabase();
    database = new WriteDatabase(testConfig(test.url));
  });
  afterEach(async () => {
    await database.onApplicationShutdown();
    await test.drop();
  });

  it('is recorded once, by processes that start at once', async () => {
    const starts = Array.from({ length: 5 }, () =>
      ensureInstallation(database.pool, { REGION: 'au', PARTITIONS: 4 }),
    );
    const installations = await Promise.all(starts);
    expect(new Set(installations.map(({ id }) => id)).size).toBe(1);
    expect(installations[0]).toMatchObject({ region: 'au', partitions: 4 });
    const later = await ensureInstallation(database.pool, { REGION: 'au', PARTITIONS: 12 });
    expect(later.partitions).toBe(4);
  });

  it('refuses another region, in one line', async () => {
    await ensureInstallation(database.pool, { REGION: 'au', PARTITIONS: 12 });
    await expect(ensureInstallation(database.pool, { REGION: 'uk', PARTITIONS: 12 })).rejects.toMatchObject({
      problems: ['REGION is uk, but this database was installed for au; a deployment serves one region'],
    });
  });

  it('spreads tenants over its partitions, each always on the same one', async () => {
    const installation = await ensureInstallation(database.pool, { REGION: 'au', PARTITIONS: 4 });
    const tenants = new Tenants(database, installation);
    const aliases = Array.from({ length: 30 }, (_, n) => `firm-${n}`);
    const registered = await Promise.all(aliases.map((alias) => tenants.register({ alias })));
    expect(registered.map(({ partition }) => partition)).toEqual(
      aliases.map((alias) => partitionOf(alias, 4)),
    );
    expect(new Set(registered.map(({ partition }) => partition))).toEqual(new Set([0, 1, 2, 3]));
    expect(registered.every(({ region }) => region === 'au')).toBe(true);
    // A change here would move every tenant's events to another partition.
    expect(partitionOf('acme', 12)).toBe(1);
  });
});
