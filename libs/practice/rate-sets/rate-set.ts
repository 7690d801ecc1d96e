import { conflict, DomainError, invalid } from '#kernel/errors';
import { kindOf } from '#kernel/ids';
import { decimal, roundMoney, text } from '#kernel/money';
import { LARGEST_RATE } from '#platform/http/input/fields';
import type { RecordState } from '../records/record';
import { simpleRecord } from '../records/simple-record';
import { type RateEntry, type RateSetFields, rateKeys, rateSetEvents } from './rate-set.events';

export interface RateSetState extends RecordState, RateSetFields {}

/** The natural key that the firm's default rate set holds. */
export const DEFAULT_RATE_SET = { kind: 'default_rate_set', key: '' };

export const RateSet = simpleRecord<RateSetState>({
  kind: 'rateset',
  name: 'RateSet',
  events: rateSetEvents,
  links: ({ entries }) =>
    referencesOf(entries).map((target) => ({ kind: `rateset_${kindOf(target)}`, target })),
  keys: ({ isDefault }) => (isDefault ? [DEFAULT_RATE_SET] : []),
});

/** The distinct ids of the records that entries name. */
export function referencesOf(entries: readonly RateEntry[]): string[] {
  const ids = entries.flatMap(({ employeeId, taskTypeId, matterTypeId }) => [
    employeeId,
    taskTypeId,
    matterTypeId,
  ]);
  return [...new Set(ids)].filter((id) => id !== undefined);
}

/** A text that is equal for two rates if they are for the same work. */
export function nameOfKeys(entry: RateEntry): string {
  return JSON.stringify([entry.per, ...rateKeys.map((key) => entry[key] ?? null)]);
}

/** Refuses two entries for the same work. @throws DomainError `rate_entries_equal` (422), which names both */
export function requireDistinct(entries: readonly RateEntry[]): void {
  const known = new Map<string, number>();
  for (const [index, entry] of entries.entries()) {
    const name = nameOfKeys(entry);
    const other = known.get(name);
    if (other !== undefined) {
      const message = `entries/${other} and entries/${index} are for the same work.`;
      const code = 'rate_entries_equal';
      throw new DomainError(
        'invalid',
        code,
        message,
        [other, index].map((at) => ({ pointer: `/entries/${at}`, code, message })),
      );
    }
    known.set(name, index);
  }
}

/** Refuses a last day before the first. @throws DomainError `days_reversed` (422) */
export function requireDays(from: string | null, to: string | null): void {
  if (from !== null && to !== null && to < from)
    throw invalid('days_reversed', 'to: the last day is before the first.', 'to');
}

/**
 * Refuses to make the default rate set an ordinary one: a firm that has a default always keeps one.
 * @throws DomainError `default_rate_set` (409)
 */
export function requireStillDefault(before: RateSetState, isDefault: boolean): void {
  if (before.isDefault && !isDefault)
    throw conflict('default_rate_set', 'Make another rate set the default instead.');
}

/** Refuses an action on the default rate set. @throws DomainError `default_rate_set` (409) */
export function refuseDefault({ isDefault }: RateSetState): void {
  if (isDefault) throw conflict('default_rate_set', 'Make another rate set the default first.');
}

/**
 * Raises every rate by a percentage (a negative one lowers it), rounded half-up to the currency's minor unit.
 * @throws DomainError `rate_too_large` (422)
 */
export function uplift(entries: readonly RateEntry[], percent: number, currency: string): RateEntry[] {
  const factor = decimal(percent).div(100).add(1);
  return entries.map((entry) => {
    const rate = roundMoney(decimal(entry.rate).mul(factor), currency);
    if (rate.gt(LARGEST_RATE)) {
      const detail = `percent: a rate of ${entry.rate} would be ${text(rate)}, and rates are ${LARGEST_RATE} at most.`;
      throw invalid('rate_too_large', detail, 'percent');
    }
    return { ...entry, rate: text(rate) };
  });
}
