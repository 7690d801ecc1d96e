import type { DecimalText } from '#kernel/money';
import type { Day } from '#kernel/zone';
import type { SimpleEvent } from '../records/simple-record';

/** An hour of timed work, or a unit of itemised work. */
export const pers = ['Hour', 'Unit'] as const;
export type Per = (typeof pers)[number];

/** The keys that a rate may name, the most specific first: of two rates with as many keys, that with the earlier one wins. */
export const rateKeys = ['employeeId', 'taskTypeId', 'billingGrade', 'jobTitle', 'matterTypeId'] as const;
export type RateKey = (typeof rateKeys)[number];

/** The keys of a rate or of work; others are absent. */
export type RateKeys = Partial<Record<RateKey, string>>;

/** A rate in the set's currency, which applies to work that has all of its keys. */
export interface RateEntry extends RateKeys {
  rate: DecimalText;
  per: Per;
}

export interface RateSetFields {
  name: string;
  /** The currency of every entry, ISO 4217. */
  currency: string;
  /** Whether this is the firm's default, the last level at which rates are looked up. */
  isDefault: boolean;
  /** First and last entry date to which the set applies; null: no bound. */
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
