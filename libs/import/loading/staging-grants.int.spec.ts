import { Client } from 'pg';
import { Grants } from '#platform/auth/grants';
import { Integrations } from '#platform/auth/integrations';
import { waitFor } from '../../../test/support/wait-for';
import type { ImportRun } from '../import-run';
import { type Imports, openImports } from '../testing/import-parts';
import { StagingTenants, withdrawStaging } from './staging-tenants';

describe('grants that change while a staging tenant is opened', () => {
  let imports: Imports;

  beforeAll(async () => {
    imports = await openImports();
  });
  afterAll(() => imports?.close());

  const waiting = (sessions: number) =>
    waitFor(
      async () => {
        const [{ n }] = await imports.sql<{ n: number }>(
          'select count(*)::int as n from pg_locks where not granted',
        );
        return n === sessions;
      },
      { description: `${sessions} sessions to wait` },
    );

  it('change for that tenant too', async () => {
    const { store, tenants } = imports;
    const integrations = new Integrations(store.writes, tenants);
    const make = (name: string) => integrations.create({ name, tenant: 'firm' });
    const [gone, back] = [await make('Gone'), await make('Back')];
    await integrations.revoke({ clientId: back.clientId }, 'firm');
    const run = await imports.run();
    const holder = new Client(store.url);
    await holder.connect();
    try {
      // A request that waits for an integration's lock may have read the grants before.
      await holder.query('begin');
      await holder.query('select from platform.integrations where id = $1 for update', [gone.integrationId]);
      const opening = new StagingTenants(tenants, store.writes).open(run);
      await waiting(1);
      const changes = Promise.all([
        integrations.revoke({ clientId: gone.clientId }, 'firm'),
        integrations.grant({ clientId: back.clientId }, { tenant: 'firm', permissions: ['matters:read'] }),
        make('Late'),
      ]);
      await waiting(4);
      await holder.query('commit');
      const staging = await opening;
      const [, , late] = await changes;
      const found = async ({ integrationId }: { integrationId: string }) =>
        (await new Grants(store.writes).find(integrationId, staging.alias))?.permissions;
      expect(await found(gone)).toBeUndefined();
      expect(await found(back)).toEqual(new Set(['matters:read']));
      expect(await found(late)).toContain('matters:read');
    } finally {
      await holder.end();
      await imports.finish(run);
    }
  });

  describe.each([
    ['firm', [{ tenant: 'firm' }]],
    // An integration that is granted only the staging tenant finds it retired.
    ['firm--staging', []],
  ])('and a grant for %s while the staging tenant is retired', (tenant, granted) => {
    let integration: { clientId: string; integrationId: string };
    let holder: Client;
    let run: ImportRun;
    let aside: string;
    beforeEach(async () => {
      const { store, tenants } = imports;
      integration = await new Integrations(store.writes, tenants).create({ name: 'Let in', tenant: 'firm' });
      await new Integrations(store.writes, tenants).revoke(integration, 'firm');
      run = await imports.run();
      const staging = await new StagingTenants(tenants, store.writes).open(run);
      aside = `${staging.alias}-${staging.id}`;
      holder = new Client(store.url);
      await holder.connect();
      await holder.query('begin');
    });
    afterEach(async () => {
      await holder.end();
      await imports.finish(run);
    });

    const grant = () => {
      const { store, tenants } = imports;
      const { clientId } = integration;
      return new Integrations(store.writes, tenants).grant({ clientId }, { tenant }).catch((error) => {
        expect(error).toMatchObject({ code: 'tenant_not_found' });
      });
    };

    async function isNotLetIn(): Promise<void> {
      expect(await imports.sql('select from platform.tenants where alias = $1', [aside])).toHaveLength(1);
      const standing = await imports.sql(
        `select alias as tenant from platform.grants g join platform.tenants t on t.id = g.tenant_id
         where integration_id = $1 and g.revoked_at is null`,
        [integration.integrationId],
      );
      expect(standing).toEqual(granted);
    }

    it('is not one for the retired tenant when it comes first', async () => {
      await holder.query('select from platform.integrations where id = $1 for update', [
        integration.integrationId,
      ]);
      const granting = grant();
      await waiting(1);
      const withdrawing = imports.store.writes.transaction((client) =>
        withdrawStaging(client, run.requestId),
      );
      await Promise.race([withdrawing, waiting(2)]);
      await holder.query('commit');
      await Promise.all([granting, withdrawing]);
      await isNotLetIn();
    });

    it('is not one for the retired tenant when it comes second', async () => {
      await withdrawStaging(holder, run.requestId);
      const granting = grant();
      await waiting(1);
      await holder.query('commit');
      await granting;
      await isNotLetIn();
    });
  });
});
