import { WriteDatabase } from '#platform/database';
import { Secrets } from '#platform/secrets';
import { registryOf, testConfig } from '../../../test/support/auth-application';
import { createTestDatabase, type TestDatabase } from '../../../test/support/database';
import { Grants } from './grants';
import { ensureInstallation } from './installation';

describe('Grants', () => {
  let test: TestDatabase;
  let database: WriteDatabase;

  beforeAll(async () => {
    test = await createTestDatabase();
    database = new WriteDatabase(testConfig(test.url));
  });
  afterAll(async () => {
    await database.onApplicationShutdown();
    await test.drop();
  });
  afterEach(() => jest.restoreAllMocks());

  it('forgets a revoked grant in time, even when the clock is set back meanwhile', async () => {
    const config = testConfig(test.url);
    const installation = await ensureInstallation(database.pool, config, new Secrets(config.secretsKey));
    const { tenants, integrations } = registryOf(database, installation);
    await tenants.register({ alias: 'acme' });
    const { integrationId, clientId } = await integrations.create({ name: 'One', tenant: 'acme' });
    const grants = new Grants(database);
    expect(await grants.find(integrationId, 'acme')).toBeDefined();
    await integrations.revoke({ clientId }, 'acme');
    const [date, passed] = [Date.now, performance.now.bind(performance)];
    jest.spyOn(Date, 'now').mockImplementation(() => date() - 3_600_000);
    jest.spyOn(performance, 'now').mockImplementation(() => passed() + 21_000);
    expect(await grants.find(integrationId, 'acme')).toBeUndefined();
  });
});
