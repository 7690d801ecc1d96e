import { randomUUID } from 'node:crypto';
import { waitFor } from '../../../test/support/wait-for';
import { ImportSettings } from '../import-settings';
import { StagingTenants } from '../loading/staging-tenants';
import { openImports } from '../testing/import-parts';
import { cancelledPromotion, PromotionRequests } from './promotion-requests';

it('a promotion shows what is being done once it is taken, and retires the staging tenant when it is cancelled', async () => {
  const imports = await openImports();
  try {
    const { store, tenants } = imports;
    const run = await imports.run();
    const { requestId } = run;
    const staging = await new StagingTenants(tenants, store.writes).open(run);
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

    await requests.end(requestId, worker, cancelledPromotion);
    const named = 'select alias from platform.tenants where id = $1';
    const alias = `${staging.alias}-${staging.id}`;
    expect(await imports.sql(named, [staging.id])).toEqual([{ alias }]);
  } finally {
    await imports.close();
  }
});

it('a promotion is refused while another import is being requested, even before that request is committed', async () => {
  const imports = await openImports();
  const { store } = imports;
  const [asking, promoting] = [await store.writes.session(), await store.writes.session()];
  try {
    const { requestId, tenant } = await imports.run();
    await imports.finish({ requestId });
    await asking.query('begin');
    await asking.query(
      `insert into import.requests (id, tenant_id, message, requested_by, queued_at, updated_at)
       values ($1, $2, 'Waiting', 'integration:etl', now(), now())`,
      [randomUUID(), tenant.id],
    );
    const valid = { id: requestId, status: 'Validated', is_kept: true } as const;
    const requests = new PromotionRequests(store.writes, new ImportSettings());
    const refused = expect(requests.queue(promoting, valid, 'integration:etl')).rejects.toMatchObject({
      fault: 'conflict',
      code: 'import_in_progress',
    });
    const waiting = `select from pg_stat_activity where wait_event_type = 'Lock' and query like '%PromotionQueued%'`;
    await waitFor(async () => (await imports.sql(waiting)).length > 0, {
      description: 'the promotion to wait',
    });
    await asking.query('commit');
    await refused;
  } finally {
    await Promise.all([asking.end(), promoting.end()]);
    await imports.close();
  }
});
