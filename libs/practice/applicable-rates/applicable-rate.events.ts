import type { Money } from '#kernel/money';
import type { Day } from '#kernel/zone';
import type { Per } from '../rate-sets/rate-set.events';
import type { SimpleEvent } from '../records/simple-record';

export const scopes = ['Matter', 'Client'] as const;
export type Scope = (typeof scopes)[number];

export interface ApplicableRateFields {
  scope: Scope;
  /** Id of the matter, or of the client for all of its matters. */
  scopeId: string;
  rate: Money;
  per: Per;
  /** Keys of the work to which the rate applies; null: any. */
  employeeId: string | null;
  billingGrade: string | null;
  taskTypeId: string | null;
  /** First and last entry date to which the rate applies; null: until further notice. */
  effectiveFrom: Day;
  effectiveTo: Day | null;
}

export type ApplicableRateEvent = SimpleEvent<'ApplicableRate', ApplicableRateFields>;

export const applicableRateEvents = {
  ApplicableRateCreated: [],
  ApplicableRateUpdated: [],
  ApplicableRateDeleted: [],
} satisfies Record<ApplicableRateEvent['type'], []>;
