import { Injectable } from '@nestjs/common';
import { DomainError } from '#kernel/errors';
import { WriteDatabase } from '#platform/database';
import { isUnreachable } from '#platform/database/connection-lost';
import { ImportSettings } from '../connection/import-settings';
import {
  ImportCancelled,
  isDatabaseAway,
  LeaseLost,
  MOST_DEATHS,
  WorkerEnding,
} from '../requests/import-request';
import { RequestWorker } from '../requests/request-worker';
import { Promotion } from './promotion';
import { cancelledPromotion, PromotionRequests } from './promotion-requests';
import { PromotionTurn } from './promotion-turn';

/** Carries promotions out, one at a time: each takes all that a process has. */
@Injectable()
export class PromotionWorker extends RequestWorker<PromotionTurn> {
  constructor(
    private readonly requests: PromotionRequests,
    private readonly promotion: Promotion,
    private readonly database: WriteDatabase,
    settings: ImportSettings,
  ) {
    super(settings, 1);
  }

  protected async take(): Promise<PromotionTurn | undefined> {
    const { worker, requests, database, settings, log } = this;
    const taken = await requests.take(worker);
    return taken && new PromotionTurn(taken, { worker, requests, database, settings, log });
  }

  protected async carryOut(turn: PromotionTurn): Promise<void> {
    try {
      await this.promote(turn);
    } catch (error) {
      await this.afterFailure(turn, error);
    }
  }

  /** What becomes of a promotion in whose turn something failed. @throws what ends the turn alone */
  private async afterFailure(turn: PromotionTurn, error: unknown): Promise<void> {
    const { requestId, worker } = turn;
    if (error instanceof WorkerEnding) await this.requests.release(requestId, worker, 0);
    if (error instanceof WorkerEnding || error instanceof LeaseLost)
      // It may have held the tenant's read models after those who went on had ended.
      return this.promotion.letGo(turn);
    // That is no death: there was nobody whom it may have brought down.
    const isUnasked = isUnreachable(error);
    if (isUnasked) await this.requests.release(requestId, worker, this.settings.laterMs);
    // Where turn after turn dies, somebody has to hear of it: the tenant is closed.
    if (isUnasked || (isDatabaseAway(error) && turn.deaths < MOST_DEATHS)) throw error;
    if (error instanceof ImportCancelled) {
      await this.promotion.letGo(turn);
      return turn.end(cancelledPromotion);
    }
    if (error instanceof DomainError && error.code === 'rebuild_running') return this.waitForRebuild(turn);
    const { message, stack } = error as Error;
    this.log.error({ msg: `Promotion ${requestId} failed: ${message}`, stack });
    if (turn.step !== 'Checking')
      // Part of it has arrived: it can only go on.
      return this.later(turn, 'Something went wrong on our side; it is tried again. Tell the operator.');
    await this.promotion.letGo(turn);
    const detail =
      error instanceof DomainError ? error.detail : 'Something went wrong on our side. Tell the operator.';
    await turn.end({ outcome: 'PromotionFailed', message: `${detail} Nothing came to the tenant.` });
  }

  /** It may take long; until records arrive nobody has to wait for it. */
  private async waitForRebuild(turn: PromotionTurn): Promise<void> {
    if (turn.step === 'Checking') {
      await this.promotion.letGo(turn);
      // A turn that waits for a rebuild may be too short to renew its lease, which would tell.
      if (await turn.isUnwanted()) return turn.end(cancelledPromotion);
    }
    return this.later(turn, 'Waiting until read models that are being rebuilt are ready.');
  }

  private async promote(turn: PromotionTurn): Promise<void> {
    // The tenant is closed until it ends. Once something has arrived it can only go on.
    if (turn.step === 'Checking' && turn.deaths >= MOST_DEATHS)
      throw new Error(`${turn.deaths} turns at its checks have ended without a word`);
    const promoted = await this.promotion.promote(turn);
    if ('errors' in promoted) {
      const { errors } = promoted;
      const found = errors === 1 ? 'There is 1 error' : `There are ${errors} errors`;
      const message = `${found} by now: see the report. Nothing came to the tenant.`;
      return turn.end({ outcome: 'PromotionFailed', message });
    }
    const { created, changed } = promoted;
    const message = `All is in production: ${created} records are new, ${changed} have changed.`;
    await turn.end({ outcome: 'Promoted', message, counts: promoted });
    this.log.log(`Import ${turn.requestId} was promoted to ${turn.tenant.alias}`);
  }

  private later({ requestId, worker }: PromotionTurn, message: string): Promise<void> {
    return this.requests.release(requestId, worker, this.settings.laterMs, message);
  }
}
