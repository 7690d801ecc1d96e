import { Injectable } from '@nestjs/common';
import { DomainError } from '#kernel/errors';
import { isUnreachable } from '#platform/database/connection-lost';
import {
  errorsFound,
  ImportCancelled,
  isDatabaseAway,
  LeaseLost,
  MOST_DEATHS,
  OUR_FAULT,
  WorkerEnding,
} from '../requests/import-request';
import { RequestWorker } from '../requests/request-worker';
import { Promotion } from './promotion';
import { cancelledPromotion, PromotionRequests } from './promotion-requests';
import { PromotionTurn } from './promotion-turn';

/** Carries promotions out, one at a time: a promotion uses all resources of a process. */
@Injectable()
export class PromotionWorker extends RequestWorker<PromotionTurn> {
  constructor(
    private readonly requests: PromotionRequests,
    private readonly promotion: Promotion,
  ) {
    super(requests.settings, 1);
  }

  protected async take(): Promise<PromotionTurn | undefined> {
    const { worker, requests, log } = this;
    const taken = await requests.take(worker);
    return taken && new PromotionTurn(taken, { worker, requests, log });
  }

  protected async carryOut(turn: PromotionTurn): Promise<void> {
    try {
      await this.promote(turn);
    } catch (error) {
      await this.afterFailure(turn, error);
    }
  }

  /** Handles the error of a promotion's turn. @throws errors that end only this turn */
  private async afterFailure(turn: PromotionTurn, error: unknown): Promise<void> {
    const { requestId, worker } = turn;
    if (error instanceof WorkerEnding) await this.requests.release(requestId, worker);
    if (error instanceof WorkerEnding || error instanceof LeaseLost)
      // This worker may have held the tenant's read models after its successors had ended the promotion.
      return this.promotion.letGo(turn);
    // An unreachable database does not count as a death: the promotion has brought no worker down.
    const isUnasked = isUnreachable(error);
    if (isUnasked) await this.requests.release(requestId, worker, this.settings.laterMs);
    // After many deaths the error must become visible, since the tenant takes no writes.
    if (isUnasked || (isDatabaseAway(error) && turn.deaths < MOST_DEATHS)) throw error;
    if (error instanceof ImportCancelled) {
      await this.promotion.letGo(turn);
      return turn.end(cancelledPromotion);
    }
    if (error instanceof DomainError && error.code === 'rebuild_running') return this.waitForRebuild(turn);
    const { message, stack } = error as Error;
    this.log.error({ msg: `Promotion ${requestId} failed: ${message}`, stack });
    if (turn.step !== 'Checking')
      // Some records have arrived, so the promotion can only continue.
      return this.later(turn, 'Something went wrong on our side; it is tried again. Tell the operator.');
    await this.promotion.letGo(turn);
    const detail = error instanceof DomainError ? error.detail : OUR_FAULT;
    await turn.end({ outcome: 'PromotionFailed', message: `${detail} Nothing was changed in the tenant.` });
  }

  /** Handles a promotion that a running rebuild delays: until records arrive, the tenant is opened meanwhile. */
  private async waitForRebuild(turn: PromotionTurn): Promise<void> {
    if (turn.step === 'Checking') {
      await this.promotion.letGo(turn);
      // Renewing the lease would reveal a cancellation, but a turn that meets a rebuild may be too short for that.
      if (await turn.isUnwanted()) return turn.end(cancelledPromotion);
    }
    return this.later(turn, 'Waiting until read models that are being rebuilt are ready.');
  }

  private async promote(turn: PromotionTurn): Promise<void> {
    // During the checks, give up after many deaths, as the tenant takes no writes. Once records have arrived, it must
    // continue.
    if (turn.step === 'Checking' && turn.deaths >= MOST_DEATHS)
      throw new Error(`${turn.deaths} turns at its checks have ended without a word`);
    const promoted = await this.promotion.promote(turn);
    if ('errors' in promoted) {
      const message = `${errorsFound(promoted.errors)} by now: see the report. Nothing was changed in the tenant.`;
      return turn.end({ outcome: 'PromotionFailed', message });
    }
    const { created, changed } = promoted;
    const message = `The import is in production: ${created} records are new, ${changed} have changed.`;
    await turn.end({ outcome: 'Promoted', message, counts: promoted });
    this.log.log(`Import ${turn.requestId} was promoted to ${turn.tenant.alias}`);
  }

  private later({ requestId, worker }: PromotionTurn, message: string): Promise<void> {
    return this.requests.release(requestId, worker, this.settings.laterMs, message);
  }
}
