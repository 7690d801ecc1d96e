import { Client } from 'pg';
import { SystemClock } from '#kernel/clock';
import { Grants } from '#platform/auth/grants';
import { Integrations } from '#platform/auth/integrations';
import { waitFor } from '../../../test/support/wait-for';
import { type Imports, openImports } from '../testing/import-parts';
import { StagingTenants } from './staging-tenants';

describe('who is let in, or out, while a staging tenant is opened', () => {
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
      { description: `${sessions} to wait` },
    );

  it('is so in that tenant too', async () => {
    const { store, tenants } = imports;
    const integrations = new Integrations(store.writes, tenants);
    const make = (name: string) => integrations.create({ name, tenant: 'firm' });
    const [gone, back] = [await make('Gone'), await make('Back')];
    await integrations.revoke({ clientId: back.clientId }, 'firm');
    const holder = new Client(store.url);
    await holder.connect();
    try {
      // Grants have been read by whoever waits for one of those they are for.
      await holder.query('begin');
      await holder.query('select from platform.integrations where id = $1 for update', [gone.integrationId]);
      const opening = new StagingTenants(tenants, store.writes).open(await imports.run());
      await waiting(1);
      const changes = Promise.all([
        integrations.revoke({ clientId: gone.clientId }, 'firm'),
        integrations.grant({ clientId: back.clientId }, { tenant: 'firm', permissions: ['matters:read'] }),
        make('Late'),
      ]);
      await waiting(4);
      await holder.query('commit');
      const { staging } = await opening;
      const [, , late] = await changes;
      const found = async ({ integrationId }: { integrationId: string }) =>
        (await new Grants(store.writes, new SystemClock()).find(integrationId, staging.alias))?.permissions;
      expect(await found(gone)).toBeUndefined();
      expect(await found(back)).toEqual(new Set(['matters:read']));
      expect(await found(late)).toContain('matters:read');
    } finally {
      await holder.end();
    }
  });
});
