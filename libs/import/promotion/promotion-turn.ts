import type { ClientBase } from 'pg';
import { ImportCancelled } from '../requests/import-request';
import { Turn, type TurnParts } from '../requests/turn';
import { turnMetrics } from '../requests/turn-metrics';
import type { PromotionEnding, PromotionRequests, TakenPromotion } from './promotion-requests';
import type { PromotionRun, PromotionStep } from './promotion-run';

/** A worker's turn at a promotion. */
export class PromotionTurn extends Turn<PromotionRequests> implements PromotionRun {
  private at: PromotionStep;

  constructor(taken: TakenPromotion, parts: TurnParts<PromotionRequests>) {
    super(taken, parts);
    this.at = taken.step;
  }

  get step(): PromotionStep {
    return this.at;
  }

  /** Begins a step. @throws LeaseLost; ImportCancelled before the second step; the reason of the turn's signal */
  async advance(step: PromotionStep): Promise<void> {
    this.signal.throwIfAborted();
    await this.flush();
    if (!(await this.parts.requests.advance(this.requestId, this.worker, step))) throw new ImportCancelled();
    this.stepped();
    this.at = step;
  }

  goesOn(client: ClientBase): Promise<boolean> {
    return this.parts.requests.goesOn(client, this.tenant, this.worker);
  }

  async end(ending: PromotionEnding): Promise<void> {
    await this.flush();
    const ended = await this.parts.requests.end(this.requestId, this.worker, ending, this.goOn);
    this.stepped();
    turnMetrics.ended('Promotion', ended);
  }
}
