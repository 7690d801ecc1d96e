import type { Money } from '#kernel/money';
import type { Day } from '#kernel/zone';
import type { Per } from '../rate-sets/rate-set.events';
import type { SimpleEvent } from '../records/simple-record';

export const scopes = ['Matter', 'Client'] as const;
export type Scope = (typeof scopes)[number];

export interface ApplicableRateFields {
  scope: Scope;
  /** The id of the matter, or of the client if the rate is for all of its matters. */
  scopeId: string;
  rate: Money;
  per: Per;
  /** The employee, billing grade and task type that the rate is for; null means any. */
  employeeId: string | null;
  billingGrade: string | null;
  taskTypeId: string | null;
  /** The first and last entry date that the rate is for; without a last one it is valid until further notice. */
  effectiveFrom: Day;
  effectiveTo: Day | null;
}

export type ApplicableRateEvent = SimpleEvent<'ApplicableRate', ApplicableRateFields>;

export const applicableRateEvents = {
  ApplicableRateCreated: [],
  ApplicableRateUpdated: [],
  ApplicableRateDeleted: [],
} satisfies Record<ApplicableRateEvent['type'], []>;
