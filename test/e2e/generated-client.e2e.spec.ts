import { GeneratedClient } from '../support/contract/generated-client';
import { Office } from './office';

let office: Office;
const client = new GeneratedClient();

beforeAll(async () => {
  office = await Office.join();
});
afterAll(async () => {
  client.remove();
  await office.close();
});

it('walks the main path with a client whose types come from the API description, and refuses mistakes', async () => {
  const { tenant } = await office.tenant();
  const { clientId, clientSecret } = await office.integration(tenant);
  await client.generate();
  await client.compile();
  const env = {
    BASE_URL: office.app.baseUrl,
    TENANT: tenant,
    CLIENT_ID: clientId,
    CLIENT_SECRET: clientSecret,
  };
  expect(await client.run(env)).toEqual({
    firmName: `Firm ${tenant}`,
    early: 'client_not_active',
    pointers: ['/clientId'],
    client: 'Active',
    total: { Amount: 250, Currency: 'GBP' },
    work: [{ isOurs: true, matterTitle: 'Engine' }],
    totalCount: 1,
    renamed: 'Analytical Engine',
    stale: 'version_mismatch',
    removed: 204,
    history: ['RoleCreated', 'RoleDeleted'],
  });
});
