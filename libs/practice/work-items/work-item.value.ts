import type { Decimal } from 'decimal.js';
import { type DecimalText, decimal, type Money, roundMoney, text } from '#kernel/money';
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
  rate: Money;
}

type Value = Pick<WorkItemFields, 'units' | 'unitsOverridden' | 'minutesPerUnit' | 'rate' | 'total'>;

/**
 * Units and total of an item.
 * @see resources.md: Units, Money
 */
export function priceWorkItem(basis: ValueBasis): Value {
  const { itemType, durationTicks, minutesPerUnit, rounding, rate } = basis;
  const derived = itemType === ItemType.Timed ? unitsOf(durationTicks, minutesPerUnit, rounding) : decimal(1);
  const units = basis.units === null ? derived : decimal(basis.units);
  const exact =
    itemType === ItemType.Timed ? timedAmount(units, minutesPerUnit, rate.amount) : units.mul(rate.amount);
  const total = roundMoney(exact, rate.currency);
  return {
    units: text(units),
    unitsOverridden: basis.units !== null,
    minutesPerUnit,
    rate,
    total: text(total),
  };
}

/** Units' hours × rate, unrounded. Divided last: hours that never end, cut short, would take half a penny below the half. */
export function timedAmount(
  units: Decimal | DecimalText,
  minutesPerUnit: DecimalText,
  rate: DecimalText,
): Decimal {
  return decimal(units).mul(minutesPerUnit).mul(rate).div(60);
}
