import type { DecimalText } from '#kernel/money';
import type { Day } from '#kernel/zone';
import type { SimpleEvent } from '../records/simple-record';

/** An hour of timed work, or a unit of itemised work. */
export const pers = ['Hour', 'Unit'] as const;
export type Per = (typeof pers)[number];

/** What a rate may be for, the most telling first: of two rates that name as many, the one with the earlier wins. */
export const rateKeys = ['employeeId', 'taskTypeId', 'billingGrade', 'jobTitle', 'matterTypeId'] as const;
export type RateKey = (typeof rateKeys)[number];

/** The keys that a rate names, or those that work has; the others are absent. */
export type RateKeys = Partial<Record<RateKey, string>>;

/** A rate in the set's currency, for work that has all of its keys. */
export interface RateEntry extends RateKeys {
  rate: DecimalText;
  per: Per;
}

export interface RateSetFields {
  name: string;
  /** ISO 4217; of every entry. */
  currency: string;
  /** The firm's default: the last level that is asked for a rate. */
  isDefault: boolean;
  /** First and last day of the entry dates that it is for; null: no bound. */
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
