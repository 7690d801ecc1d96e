import { BulkAppender } from '#event-store/append/append-bulk';
import { ClosedTenants } from '#event-store/closed-tenants';
import { AppendSignal } from '#event-store/signal';
import { SystemClock } from '#kernel/clock';
import { Installation } from '#platform/auth/installation';
import { Tenants } from '#platform/auth/tenants';
import { createTestStore, type TestStore } from '../../../test/support/store';
import { definitions } from '../areas';
import { TenantSetup } from './tenant-setup';

let store: TestStore;
beforeAll(async () => {
  store = await createTestStore(definitions);
});
afterAll(() => store.close());

it('of several that create one tenant at once, all but one learn that its alias is taken', async () => {
  const tenants = new Tenants(store.writes, new Installation('test', 'uk', 12));
  const bulk = new BulkAppender(
    store.writes,
    store.codec,
    store.keys,
    new AppendSignal(store.writes),
    new SystemClock(),
  );
  const setup = new TenantSetup(tenants, store.store, store.loader, bulk, new ClosedTenants(store.writes));
  // As a crash leaves it: all of them find it without settings.
  await tenants.register({ alias: 'race' });
  const results = await Promise.allSettled(
    [1, 2, 3].map((n) => setup.create({ alias: 'race', name: `Firm ${n}` })),
  );
  const refusals = results.filter((result) => result.status === 'rejected');
  expect(refusals.map(({ reason }) => reason.code)).toEqual(['alias_taken', 'alias_taken']);
});
