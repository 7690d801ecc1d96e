import { writeFirm } from '../../../test/support/firms/write-firm';
import { waitFor } from '../../../test/support/wait-for';
import { ImportSettings } from '../import-settings';
import { openImports } from '../testing/import-parts';
import { promotionParts } from '../testing/promotion-parts';
import type { Promotion } from './promotion';
import { PromotionRequests } from './promotion-requests';
import type { PromotionTurn } from './promotion-turn';
import { PromotionWorker } from './promotion-worker';

it('a worker that stood still until another had ended the promotion leaves the tenant open', async () => {
  const imports = await openImports();
  const parts = promotionParts(imports);
  await writeFirm(imports.client, { items: 50 });
  imports.runner.start();
  const run = await parts.staged();
  await parts.promotion.promote(run);
  // As if the read models were renewed, and the worker had died before it could store that.
  await imports.client.query(`update import.requests set promotion_step = 'Renewing' where id = $1`, [
    run.requestId,
  ]);

  const { writes } = imports.store;
  const settings = Object.assign(new ImportSettings(), { pollMs: 10, heartbeatMs: 3_600_000, leaseMs: 300 });
  const workerOf = (promotion: Promotion) =>
    new PromotionWorker(new PromotionRequests(writes, settings), promotion);
  let wake = () => {};
  const awake = new Promise<void>((resolve) => {
    wake = resolve;
  });
  let taken = false;
  let closedAgain: boolean | undefined;
  const isClosed = () => parts.closed.isClosed(imports.tenant.id);
  const stalling = Object.assign(Object.create(parts.promotion) as Promotion, {
    promote: async (turn: PromotionTurn) => {
      taken = true;
      await awake;
      try {
        return await parts.promotion.promote(turn);
      } finally {
        closedAgain = await isClosed();
      }
    },
  });
  const stalled = workerOf(stalling);
  const other = workerOf(parts.promotion);
  const status = async () => {
    const [row] = await imports.sql<{ status: string }>('select status from import.requests where id = $1', [
      run.requestId,
    ]);
    return row.status;
  };
  try {
    stalled.start();
    await waitFor(() => taken, { description: 'the first worker to take the promotion' });
    other.start();
    await waitFor(async () => (await status()) === 'Promoted', { description: 'the other worker to finish' });
    expect(await isClosed()).toBe(false);
    wake();
    await waitFor(() => closedAgain !== undefined, { description: 'the first worker to notice that' });
    expect(closedAgain).toBe(false);
    expect(await imports.sql('select from read_model.held')).toEqual([]);
    expect(await status()).toBe('Promoted');
  } finally {
    wake();
    await Promise.all([stalled.onApplicationShutdown(), other.onApplicationShutdown()]);
    await imports.close();
  }
});
