import { conflict, DomainError } from '#kernel/errors';
import { waitFor } from '../../../test/support/wait-for';
import { ImportSettings } from '../import-settings';
import { LeaseLost } from '../requests/import-request';
import { type Imports, openImports } from '../testing/import-parts';
import { promotionParts } from '../testing/promotion-parts';
import type { Promotion } from './promotion';
import { PromotionRequests } from './promotion-requests';
import type { PromotionTurn } from './promotion-turn';
import { PromotionWorker } from './promotion-worker';

describe('a promotion that cannot go on at once', () => {
  let imports: Imports;
  const settings = Object.assign(new ImportSettings(), {
    pollMs: 10,
    heartbeatMs: 50,
    leaseMs: 300,
    laterMs: 50,
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

  async function queue(requestId: string): Promise<void> {
    await imports.client.query(
      `update import.requests set kind = 'Promotion', status = 'PromotionQueued', promotion_step = 'Checking', is_kept = true
       where id = $1`,
      [requestId],
    );
  }

  /** The message of the request's status. */
  async function message(requestId: string): Promise<string> {
    const [row] = await imports.sql<{ message: string }>(
      'select message from import.requests where id = $1',
      [requestId],
    );
    return row.message;
  }

  /** Has a worker carry a promotion out. @returns the status at the end */
  async function carriedOut(requestId: string, promotion: object) {
    const { writes } = imports.store;
    const requests = new PromotionRequests(writes, settings);
    const worker = new PromotionWorker(requests, promotion as Promotion);
    worker.start();
    try {
      return await ended(requestId);
    } finally {
      await worker.onApplicationShutdown();
    }
  }

  /**
   * Fails with the error of a statement that the server ends for its duration, for example at a table locked for long.
   */
  const cutShort = () =>
    imports.store.writes.transaction((client) =>
      client.query('set local statement_timeout = 1; select pg_sleep(60)'),
    );

  it('is tried again after a statement has run into its timeout', async () => {
    const { requestId } = await imports.run();
    await queue(requestId);
    let turns = 0;
    const promotion = {
      async promote() {
        if (++turns === 1) await cutShort();
        return { created: 1, changed: 0 };
      },
      letGo: async () => undefined,
    };
    expect(await carriedOut(requestId, promotion)).toBe('Promoted');
  });

  it('is given up, and the tenant released, when turn after turn fails before anything has arrived', async () => {
    const { requestId } = await imports.run();
    await queue(requestId);
    let turns = 0;
    const letGo = jest.fn(async () => undefined);
    const promotion = {
      async promote() {
        turns++;
        await cutShort();
      },
      letGo,
    };
    expect(await carriedOut(requestId, promotion)).toBe('PromotionFailed');
    expect(turns).toBe(5);
    expect(letGo).toHaveBeenCalledTimes(1);
    expect(await message(requestId)).toBe(
      'Something went wrong on our side. Tell the operator. Nothing was changed in the tenant.',
    );
  });

  it('tells the operator, and is tried again, when turn after turn fails once something has arrived', async () => {
    const { requestId } = await imports.run();
    await queue(requestId);
    await imports.sql(`update import.requests set promotion_step = 'Appending' where id = $1`, [requestId]);
    let isLocked = true;
    const promotion = {
      async promote() {
        if (isLocked) await cutShort();
        return { created: 1, changed: 0 };
      },
      letGo: async () => undefined,
    };
    const over = carriedOut(requestId, promotion);
    const isTold = async () =>
      (await message(requestId)).startsWith('Something went wrong on our side; it is tried again.');
    await waitFor(isTold, { description: 'the operator to be told' });
    isLocked = false;
    expect(await over).toBe('Promoted');
  });

  it('waits for a database that cannot be reached, however long that takes', async () => {
    const { requestId } = await imports.run();
    await queue(requestId);
    let turns = 0;
    const letGo = jest.fn(async () => undefined);
    const promotion = {
      async promote() {
        if (++turns <= 7) throw Object.assign(new Error('connect ECONNREFUSED'), { code: 'ECONNREFUSED' });
        return { created: 1, changed: 0 };
      },
      letGo,
    };
    expect(await carriedOut(requestId, promotion)).toBe('Promoted');
    expect(letGo).not.toHaveBeenCalled();
  });

  it.each([
    // The error when the event store does not answer, although its server answers everything else.
    [new DomainError('unavailable', 'store_unavailable', 'The event store does not answer.'), []],
    [conflict('rebuild_running', 'A read model is being rebuilt.'), ['let go']],
  ])('is continued by the next turn, even before anything has arrived: %s', async (error, between) => {
    const { requestId } = await imports.run();
    await queue(requestId);
    const done: string[] = [];
    const promotion = {
      async promote() {
        done.push('promote');
        if (done.length === 1) throw error;
        return { created: 1, changed: 0 };
      },
      letGo: async () => void done.push('let go'),
    };
    expect(await carriedOut(requestId, promotion)).toBe('Promoted');
    expect(done).toEqual(['promote', ...between, 'promote']);
  });

  it('leaves the tenant closed when its lease ends while records arrive and nobody else has taken it over', async () => {
    const { requestId } = await imports.run();
    await queue(requestId);
    const { promotion, closed } = promotionParts(imports);
    const found: boolean[] = [];
    const losing = Object.assign(Object.create(promotion) as Promotion, {
      async promote(turn: PromotionTurn) {
        found.push(await closed.isClosed(imports.tenant.id));
        if (found.length > 1) return { created: 1, changed: 0 };
        await closed.close(imports.tenant.id, 'promotion_in_progress');
        await turn.advance('Appending');
        // As when the database did not answer for longer than the lease.
        throw new LeaseLost();
      },
    });
    expect(await carriedOut(requestId, losing)).toBe('Promoted');
    expect(found).toEqual([false, true]);
  });

  it.each([
    [
      'waits for a rebuild',
      () => Promise.reject(conflict('rebuild_running', 'A read model is being rebuilt.')),
    ],
    ['finds errors', async () => ({ errors: 2 })],
    ['fails', () => Promise.reject(new Error('Something is wrong with it.'))],
  ])('ends as cancelled when it is cancelled just before it %s', async (_, promoted) => {
    const { requestId } = await imports.run();
    await queue(requestId);
    const promotion = {
      async promote() {
        await imports.client.query('update import.requests set cancel_requested = true where id = $1', [
          requestId,
        ]);
        return promoted();
      },
      letGo: async () => undefined,
    };
    expect(await carriedOut(requestId, promotion)).toBe('Cancelled');
    expect(
      await imports.sql('select message, is_kept from import.requests where id = $1', [requestId]),
    ).toEqual([{ message: 'Cancelled on request. Nothing was changed in the tenant.', is_kept: false }]);
  });
});
