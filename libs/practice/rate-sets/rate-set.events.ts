import type { DecimalText } from '#kernel/money';
import type { Day } from '#kernel/zone';
import type { SimpleEvent } from '../records/simple-record';

/** What a rate is charged for: an hour of timed work, or a unit of itemised work. */
export const pers = ['Hour', 'Unit'] as const;
export type Per = (typeof pers)[number];

/**
 * The keys that restrict a rate to certain work, the most significant first: of two rates with equally many keys, the
 * one with the earlier keys wins.
 */
export const rateKeys = ['employeeId', 'taskTypeId', 'billingGrade', 'jobTitle', 'matterTypeId'] as const;
export type RateKey = (typeof rateKeys)[number];

/** The values of the keys that a rate names, or that work has. The other keys are absent. */
export type RateKeys = Partial<Record<RateKey, string>>;

/** A rate in the set's currency. It applies to work that has all of its keys. */
export interface RateEntry extends RateKeys {
  rate: DecimalText;
  per: Per;
}

export interface RateSetFields {
  name: string;
  /** The currency of every entry (ISO 4217). */
  currency: string;
  /** Whether the set is the firm's default, which is the last level at which a rate is looked for. */
  isDefault: boolean;
  /** The first and last entry date that the set is for; null means no bound. */
  from: Day | null;
  to: Day | null;
  entries: RateEntry[];
}

export type RateSetEvent = SimpleEvent<'RateSet', RateSetFields>;

export const rateSetEvents = {
  RateSetCreated: [],
  RateSetUpdated: [],
  RateSetDeleted: [],
} satisfies Record<RateSetEvent['type'], []>;
