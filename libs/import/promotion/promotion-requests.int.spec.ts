import { randomUUID } from 'node:crypto';
import { ImportSettings } from '../connection/import-settings';
import { StagingTenants } from '../loading/staging-tenants';
import { openImports } from '../testing/import-parts';
import { PromotionRequests } from './promotion-requests';

it('says what is done from when it is taken, and puts the staging tenant aside when it is cancelled', async () => {
  const imports = await openImports();
  try {
    const { store, tenants } = imports;
    const { requestId, tenant } = await imports.run();
    const { staging } = await new StagingTenants(tenants, store.writes).open({ requestId, tenant });
    await imports.client.query(
      `update import.requests set status = 'PromotionQueued', promotion_step = 'Checking', message = 'Waiting for a worker.'
       where id = $1`,
      [requestId],
    );
    const requests = new PromotionRequests(store.writes, new ImportSettings());
    const worker = randomUUID();
    expect(await requests.take(worker)).toMatchObject({ requestId, step: 'Checking' });
    const shown = 'select status, message from import.requests where id = $1';
    const message = 'Checking every row against the tenant as it is now.';
    expect(await imports.sql(shown, [requestId])).toEqual([{ status: 'Promoting', message }]);

    await requests.end(requestId, worker, 'Cancelled', 'Cancelled on request.');
    const named = 'select alias from platform.tenants where id = $1';
    const alias = `${staging.alias}-${staging.id}`;
    expect(await imports.sql(named, [staging.id])).toEqual([{ alias }]);
  } finally {
    await imports.close();
  }
});
