import { DomainError, invalid } from '#kernel/errors';
import { decimal, type Money, roundMoney, text } from '#kernel/money';
import { type UnitRounding, unitsOf } from '#kernel/ticks';
import { ItemType, type WorkItemFields } from './work-item.events';

/** What determines an item's value. */
export interface ValueBasis {
  itemType: ItemType;
  durationTicks: number;
  /** Units of the request; null: derived from the ticks, 1 for an itemised item. */
  units: string | null;
  minutesPerUnit: string;
  rounding: UnitRounding;
  /** Rate of the request; null: the one that applies. */
  rate: Money | null;
  /** The employee's default rate, for an hour. */
  employeeRate: Money | null;
  currency: string;
}

type Value = Pick<
  WorkItemFields,
  'units' | 'unitsOverridden' | 'minutesPerUnit' | 'rate' | 'rateSource' | 'total'
>;

/**
 * Units, rate and total of an item.
 * @throws DomainError `rate_not_found` (422) with what was tried
 * @see resources.md: Units, Rate, Money
 */
export function priceWorkItem(basis: ValueBasis): Value {
  const { itemType, durationTicks, minutesPerUnit, rounding, currency } = basis;
  const derived = itemType === ItemType.Timed ? unitsOf(durationTicks, minutesPerUnit, rounding) : decimal(1);
  const units = basis.units === null ? derived : decimal(basis.units);
  const { rate, rateSource } = rateOf(basis);
  const quantity = itemType === ItemType.Timed ? units.mul(minutesPerUnit).div(60) : units;
  const total = roundMoney(quantity.mul(rate.amount), currency);
  return {
    units: text(units),
    unitsOverridden: basis.units !== null,
    minutesPerUnit,
    rate,
    rateSource,
    total: text(total),
  };
}

function rateOf({ rate, employeeRate, itemType, currency }: ValueBasis): Pick<Value, 'rate' | 'rateSource'> {
  if (rate) {
    if (rate.currency !== currency) {
      throw invalid(
        'currency_not_supported',
        `rate/Currency: only the base currency ${currency} is accepted.`,
        'rate/Currency',
      );
    }
    return { rate, rateSource: 'Request' };
  }
  // The default rate is for an hour; an item that is not timed has none.
  if (itemType === ItemType.Timed && employeeRate?.currency === currency) {
    return { rate: employeeRate, rateSource: 'EmployeeDefault' };
  }
  const tried =
    itemType === ItemType.Timed
      ? employeeRate
        ? `the employee's default rate is in ${employeeRate.currency}, not ${currency}`
        : 'the employee has no default rate'
      : "the employee's default rate is for an hour, and the item is not timed";
  const message = `No rate was given and none was found: ${tried}.`;
  throw new DomainError('invalid', 'rate_not_found', message, [
    { pointer: '/rate', code: 'rate_not_found', message },
  ]);
}
