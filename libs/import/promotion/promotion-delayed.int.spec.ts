import { conflict, DomainError } from '#kernel/errors';
import { waitFor } from '../../../test/support/wait-for';
import { ImportSettings } from '../connection/import-settings';
import { type Imports, openImports } from '../testing/import-parts';
import type { Promotion } from './promotion';
import { PromotionRequests } from './promotion-requests';
import { PromotionWorker } from './promotion-worker';

describe('a promotion that cannot go on at once', () => {
  let imports: Imports;
  const settings = Object.assign(new ImportSettings(), {
    ...{ pollMs: 10, heartbeatMs: 50, leaseMs: 300, laterMs: 50 },
  });

  beforeEach(async () => {
    imports = await openImports();
  });
  afterEach(() => imports.close());

  async function ended(requestId: string) {
    return waitFor(
      async () => {
        const [row] = await imports.sql<{ status: string; isOver: boolean }>(
          'select status, finished_at is not null as "isOver" from import.requests where id = $1',
          [requestId],
        );
        return row.isOver && row.status;
      },
      { description: 'the end of the request' },
    );
  }

  it.each([
    // As the event store says that it did not answer, while its server is there for everything else.
    [new DomainError('unavailable', 'store_unavailable', 'The event store does not answer.'), []],
    [conflict('rebuild_running', 'A read model is being rebuilt.'), ['let go']],
  ])('is gone on with by the next turn, even before anything has arrived: %s', async (error, between) => {
    const { writes } = imports.store;
    const { requestId } = await imports.run();
    await imports.client.query(
      `update import.requests set kind = 'Promotion', status = 'PromotionQueued', promotion_step = 'Checking', is_kept = true
       where id = $1`,
      [requestId],
    );
    const done: string[] = [];
    const promotion = {
      async promote() {
        done.push('promote');
        if (done.length === 1) throw error;
        return { created: 1, changed: 0 };
      },
      letGo: async () => void done.push('let go'),
    };
    const requests = new PromotionRequests(writes, settings);
    const worker = new PromotionWorker(requests, promotion as unknown as Promotion, writes, settings);
    worker.start();
    try {
      expect(await ended(requestId)).toBe('Promoted');
    } finally {
      await worker.onApplicationShutdown();
    }
    expect(done).toEqual(['promote', ...between, 'promote']);
  });
});
