import { randomUUID } from 'node:crypto';
import { writeFirm } from '../../../test/support/firms/write-firm';
import { waitFor } from '../../../test/support/wait-for';
import { ImportSettings } from '../import-settings';
import { type Imports, openImports } from '../testing/import-parts';
import { promotionParts } from '../testing/promotion-parts';
import { Validation } from '../validation/validation';
import type { Promotion } from './promotion';
import { PromotionRequests } from './promotion-requests';
import type { PromotionTurn } from './promotion-turn';
import { PromotionWorker } from './promotion-worker';

/** Stops every caller that reaches it, until it is opened. */
function gate() {
  let isReached = false;
  let open = () => {};
  const opened = new Promise<void>((resolve) => {
    open = resolve;
  });
  return {
    open,
    isReached: () => isReached,
    pass: () => {
      isReached = true;
      return opened;
    },
  };
}

describe('a worker that was frozen until another promotion of the tenant is appending', () => {
  let imports: Imports;
  let parts: ReturnType<typeof promotionParts>;
  beforeEach(async () => {
    imports = await openImports();
    parts = promotionParts(imports);
    await writeFirm(imports.client, { items: 50 });
    imports.runner.start();
  });
  afterEach(() => imports.close());

  /** Freezes a worker at the gate during its promotion, and checks that it then leaves the next promotion alone. */
  async function meddles(frozenAt: ReturnType<typeof gate>, promotion: Promotion): Promise<void> {
    const { store, client, tenant } = imports;
    // A frozen worker does not renew its lease, and no other worker takes it over by itself.
    const settings = Object.assign(new ImportSettings(), { pollMs: 10, heartbeatMs: 3_600_000 });
    const requests = new PromotionRequests(store.writes, settings);
    let isOver = false;
    const watched = Object.assign(Object.create(promotion) as Promotion, {
      letGo: async (...args: Parameters<Promotion['letGo']>) => {
        await promotion.letGo(...args);
        isOver = true;
      },
    });
    const worker = new PromotionWorker(requests, watched);
    try {
      worker.start();
      await waitFor(frozenAt.isReached, { description: 'the worker to freeze' });
      // Others have ended the frozen worker's promotion, and begun the next.
      await client.query(
        `update import.requests set status = 'PromotionFailed', leased_by = null, leased_until = null`,
      );
      await parts.closed.open(tenant.id);
      const { requestId } = await imports.run();
      await client.query(
        `update import.requests set status = 'Promoting', promotion_step = 'Appending', leased_by = $2,
           leased_until = now() + interval '1 minute' where id = $1`,
        [requestId, randomUUID()],
      );
      await parts.closed.close(tenant.id, 'promotion_in_progress');
      await parts.held.hold(tenant);
      frozenAt.open();
      await waitFor(() => isOver, { description: 'the worker to let go' });
      expect(await parts.closed.isClosed(tenant.id)).toBe(true);
      expect(await imports.sql('select from read_model.held')).not.toEqual([]);
    } finally {
      frozenAt.open();
      await worker.onApplicationShutdown();
    }
  }

  it.each([
    ['Renewing', 'when it was about to announce the promotion'],
    ['Announcing', 'when it had taken the promotion over to announce it'],
  ])('leaves the tenant to the other promotion if it was frozen in %s, %s', async (step) => {
    const run = await parts.staged();
    await parts.promotion.promote(run);
    await imports.client.query('update import.requests set promotion_step = $2 where id = $1', [
      run.requestId,
      step,
    ]);
    const frozen = gate();
    const promotion = Object.assign(Object.create(parts.promotion) as Promotion, {
      promote: async (turn: PromotionTurn) => {
        if (step === 'Announcing') await frozen.pass();
        const advance = turn.advance.bind(turn);
        turn.advance = async (to) => {
          await advance(to);
          await frozen.pass();
        };
        return parts.promotion.promote(turn);
      },
    });
    await meddles(frozen, promotion);
  });

  it('leaves the tenant to the other promotion if it was frozen while it was checking, and then finds errors', async () => {
    const { requestId } = await parts.staged();
    await imports.client.query(`update import.requests set promotion_step = 'Checking' where id = $1`, [
      requestId,
    ]);
    const frozen = gate();
    const validate = jest.spyOn(Validation.prototype, 'validate').mockImplementationOnce(async () => {
      await frozen.pass();
      return { errors: 1, warnings: 0 };
    });
    await meddles(frozen, parts.promotion);
    validate.mockRestore();
  });
});
