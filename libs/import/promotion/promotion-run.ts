import type { ClientBase } from 'pg';
import type { PromotedCounts } from '../arrivals/imported-records';
import type { ImportRun } from '../import-run';

/** The steps of a promotion, in their order. From `Appending` on it cannot be cancelled. */
export const promotionSteps = ['Checking', 'Appending', 'Renewing', 'Announcing'] as const;
export type PromotionStep = (typeof promotionSteps)[number];

/** A worker's turn at a promotion. */
export interface PromotionRun extends ImportRun {
  /** The current step; that of the former worker, if it died. */
  readonly step: PromotionStep;
  /** Begins a step. A worker that takes the promotion over begins with it, too. */
  advance(step: PromotionStep): Promise<void>;
  /** Whether another turn continues a promotion to the tenant. */
  goesOn(client: ClientBase): Promise<boolean>;
}

/** The result of a promotion. When there are errors, the tenant is unchanged. */
export type Promoted = { errors: number } | PromotedCounts;
