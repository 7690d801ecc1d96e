import { DomainError } from '#kernel/errors';
import { waitFor } from '../../../test/support/wait-for';
import { ImportSettings } from '../connection/import-settings';
import { type Imports, openImports } from '../testing/import-parts';
import type { Promotion } from './promotion';
import { PromotionRequests } from './promotion-requests';
import type { Promoted } from './promotion-run';
import { PromotionWorker } from './promotion-worker';

/** As the event store says that it did not answer, while its server is there for everything else. */
const away = () => new DomainError('unavailable', 'store_unavailable', 'The event store does not answer.');

describe('a promotion over which the event store did not answer', () => {
  let imports: Imports;
  const settings = Object.assign(new ImportSettings(), { pollMs: 10, heartbeatMs: 50, leaseMs: 300 });

  beforeAll(async () => {
    imports = await openImports();
  });
  afterAll(() => imports.close());

  /** Turns at it: away in the first one. */
  const turns =
    <Result>(result: Result) =>
    async () => {
      turnsTaken++;
      if (turnsTaken === 1) throw away();
      return result;
    };
  let turnsTaken = 0;
  beforeEach(() => {
    turnsTaken = 0;
  });

  async function ended(requestId: string) {
    return waitFor(
      async () => {
        const [row] = await imports.sql<{ status: string; message: string; isOver: boolean }>(
          'select status, message, finished_at is not null as "isOver" from import.requests where id = $1',
          [requestId],
        );
        return row.isOver && { status: row.status, message: row.message };
      },
      { description: 'the end of the request' },
    );
  }

  it('is gone on with by the next turn, even before anything has arrived', async () => {
    const { writes } = imports.store;
    const { requestId } = await imports.run();
    await imports.client.query(
      `update import.requests set kind = 'Promotion', status = 'PromotionQueued', promotion_step = 'Checking', is_kept = true
       where id = $1`,
      [requestId],
    );
    const promoted: Promoted = { created: 1, changed: 0 };
    const worker = new PromotionWorker(
      new PromotionRequests(writes, settings),
      { promote: turns(promoted), letGo: async () => undefined } as unknown as Promotion,
      writes,
      settings,
    );
    worker.start();
    try {
      expect(await ended(requestId)).toMatchObject({ status: 'Promoted' });
    } finally {
      await worker.onApplicationShutdown();
    }
    expect(turnsTaken).toBe(2);
  });
});
