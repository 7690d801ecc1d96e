import { randomUUID } from 'node:crypto';
import { createContext, createTestStore, type TestStore } from '../../../test/support/store';
import { ImportSettings } from '../import-settings';
import { PromotionRequests } from '../promotion/promotion-requests';
import { ImportRequests } from './import-requests';

let store: TestStore;

beforeAll(async () => {
  store = await createTestStore([]);
});
afterAll(() => store?.close());

describe.each([
  ['Import', 'Extracting', ImportRequests],
  ['Promotion', 'Promoting', PromotionRequests],
] as const)('of the kind %s', (kind, status, Requests) => {
  /** Whether another worker takes a request whose lease ends so many seconds from now. */
  async function isTaken(seconds: number): Promise<boolean> {
    const { tenant } = await createContext(store);
    const id = randomUUID();
    await store.writes.pool.query(
      `insert into import.requests (id, tenant_id, kind, status, message, requested_by, queued_at, updated_at,
         promotion_step, leased_by, leased_until)
       values ($1, $2, $3, $4, '', 'integration:test', now(), now(), 'Checking', $5,
         clock_timestamp() + $6 * interval '1 second')`,
      [id, tenant.id, kind, status, randomUUID(), seconds],
    );
    const taken = await new Requests(store.writes, new ImportSettings()).take(randomUUID());
    await store.writes.pool.query('delete from import.requests');
    return taken?.requestId === id;
  }

  it('a lease holds until it ends, also when the clock was set back a little', async () => {
    expect(await isTaken(14)).toBe(false);
    expect(await isTaken(40)).toBe(false);
    expect(await isTaken(-1)).toBe(true);
  });

  it('a lease that ends further ahead than any lease can is over, as after a clock was set back by an hour', async () => {
    expect(await isTaken(3_600)).toBe(true);
  });
});
