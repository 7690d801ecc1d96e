import type { Folded } from '#event-store/events';
import type { UnitOfWork } from '#event-store/unit-of-work';
import { newId } from '#kernel/ids';
import { givenReference } from '../records/record';
import { DEFAULT_RATE_SET, RateSet, type RateSetState } from './rate-set';
import type { RateSetEvent } from './rate-set.events';

export { DEFAULT_RATE_SET, RateSet, type RateSetState };

/** The event that gives a set without entries a new base currency. The entries of other sets have amounts in theirs. */
export function inCurrency(
  { entries, currency: old, isDeleted }: RateSetState,
  currency: string,
): RateSetEvent[] {
  if (isDeleted || entries.length > 0 || old === currency) return [];
  return [{ type: 'RateSetUpdated', data: { currency } }];
}

/**
 * Creates the default rate set of a new tenant. It has no entries, so that rates are those of the employees until the
 * firm sets its own.
 */
export function createDefaultRateSet(work: UnitOfWork, currency: string): Folded<RateSetState> {
  const fields = { name: 'Standard rates', currency, isDefault: true, from: null, to: null, entries: [] };
  const data = { ...fields, ...givenReference(work.context, null) };
  return work.create(RateSet, newId('rateset'), [{ type: 'RateSetCreated', data }]);
}
