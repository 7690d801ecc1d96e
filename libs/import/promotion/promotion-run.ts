import type { ClientBase } from 'pg';
import type { ImportRun } from '../import-run';

/** What a promotion does one after another; once it appends it can only go on. */
export const promotionSteps = ['Checking', 'Appending', 'Renewing', 'Announcing'] as const;
export type PromotionStep = (typeof promotionSteps)[number];

/** One worker's turn at a promotion. */
export interface PromotionRun extends ImportRun {
  /** Who asked for it: the actor of its events. */
  readonly requestedBy: string;
  /** Where it stands; a worker that died has left it there. */
  readonly step: PromotionStep;
  /** The next one is begun, and whoever goes on begins with it. */
  advance(step: PromotionStep): Promise<void>;
  /**
   * Does something, in a transaction, to a tenant that is this turn's: nobody takes the promotion over meanwhile.
   * @throws LeaseLost when somebody has
   */
  owning(work: (client: ClientBase) => Promise<void>): Promise<void>;
  /** Whether a promotion to the tenant goes on without this turn. */
  goesOn(client: ClientBase): Promise<boolean>;
}

/** How many records a promotion has brought. */
export interface PromotedCounts {
  created: number;
  changed: number;
}

/** What a promotion came to: nothing has happened to the tenant where errors were found. */
export type Promoted = { errors: number } | PromotedCounts;
