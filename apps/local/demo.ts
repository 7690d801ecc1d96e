import type { INestApplicationContext } from '@nestjs/common';
import { DomainError } from '#kernel/errors';
import { Integrations } from '#platform/auth/integrations';
import { Config } from '#platform/config';
import { DemoLoad } from '#practice/demo/demo-load';
import { TenantSetup } from '#practice/tenants/tenant-setup';

export const DEMO = { alias: 'demo', clientId: 'demo-client', clientSecret: 'demo-secret' };

/**
 * The size of the demo firm. It covers one year, and has no more matters than a page shows: somebody who follows the
 * README's walk then sees their own work, in an earlier month, and their own matter at a glance.
 */
const FIRM = { items: 300, years: 1 };

/**
 * Creates the demo tenant with a small firm, and its integration, at the first start. Never in production, as its secret is
 * public. In tests the tenant is empty, and they create their own records.
 */
export async function createDemo(app: INestApplicationContext): Promise<void> {
  const setup = app.get(TenantSetup);
  const isNew = await unlessTaken('alias_taken', () =>
    setup.create({ alias: DEMO.alias, name: 'Demo & Partners' }),
  );
  if (isNew && app.get(Config).NODE_ENV === 'development') await app.get(DemoLoad).load(DEMO.alias, FIRM);
  const { clientId, clientSecret } = DEMO;
  const integrations = app.get(Integrations);
  await unlessTaken('client_id_taken', () =>
    integrations.create({ name: 'Demo integration', tenant: DEMO.alias, clientId, clientSecret }),
  );
}

/** Creates something unless it exists. @returns whether it was created now */
async function unlessTaken(code: string, create: () => Promise<unknown>): Promise<boolean> {
  try {
    await create();
    return true;
  } catch (error) {
    if (!(error instanceof DomainError) || error.code !== code) throw error;
    return false;
  }
}

/** The addresses and commands that `npm start` prints for a first look. */
export function introduction(baseUrl: string): string {
  const { alias, clientId, clientSecret } = DEMO;
  const api = `${baseUrl}/${alias}/api/v1`;
  return [
    '',
    `  REST      ${api}`,
    `  GraphQL   ${baseUrl}/${alias}/graphql   (in a browser: a playground)`,
    `  Docs      ${baseUrl}/docs`,
    `  Health    ${baseUrl}/health/ready`,
    '',
    'Try it:',
    '',
    `TOKEN=$(curl -s ${baseUrl}/oauth2/token -d grant_type=client_credentials -d client_id=${clientId} -d client_secret=${clientSecret} | sed 's/.*"access_token":"\\([^"]*\\)".*/\\1/')`,
    `curl -s ${api}/entities -H "Authorization: Bearer $TOKEN" -H 'Content-Type: application/json' -d '{"entityType":"Individual","firstName":"Ada","lastName":"Lovelace"}'`,
    `curl -s ${api}/divisions -H "Authorization: Bearer $TOKEN"`,
    '',
    'Ctrl-C stops everything.',
    '',
  ].join('\n');
}
