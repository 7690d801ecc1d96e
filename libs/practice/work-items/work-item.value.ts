import type { Decimal } from 'decimal.js';
import { invalid } from '#kernel/errors';
import { type DecimalText, decimal, type Money, roundMoney, text } from '#kernel/money';
import { type UnitRounding, unitsOf } from '#kernel/ticks';
import { LARGEST_AMOUNT, LARGEST_RATE, LARGEST_UNITS } from '#platform/http/input/fields';
import { ItemType, type WorkItemFields } from './work-item.events';

/** The inputs that determine an item's value. */
export interface ValueBasis {
  itemType: ItemType;
  durationTicks: number;
  /** The units of the request. If null, they are derived from the ticks, or 1 for an itemised item. */
  units: string | null;
  minutesPerUnit: string;
  rounding: UnitRounding;
  rate: Money;
}

type Value = Pick<WorkItemFields, 'units' | 'unitsOverridden' | 'minutesPerUnit' | 'rate' | 'total'>;

/**
 * Computes the units and total of an item.
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

/**
 * Refuses a value that no invoice line could charge: such an item would keep its matter open for ever.
 * @throws DomainError `rate_too_large`, `total_too_large`, `units_too_large` (422)
 */
export function requireChargeable({ rate, total, units }: Value): void {
  if (decimal(rate.amount).gt(LARGEST_RATE)) {
    const detail = `rate: it is ${rate.amount}, and work is charged by ${LARGEST_RATE} at most.`;
    throw invalid('rate_too_large', detail, 'rate');
  }
  if (decimal(total).gt(LARGEST_AMOUNT)) {
    const detail = `units: so many come to ${total}, and work is charged with at most ${LARGEST_AMOUNT}.`;
    throw invalid('total_too_large', detail, 'units');
  }
  if (decimal(units).gt(LARGEST_UNITS)) {
    const detail = `durationTicks: so much time is ${units} units, and at most ${LARGEST_UNITS} are charged.`;
    throw invalid('units_too_large', detail, 'durationTicks');
  }
}

/**
 * The hours of the units × rate, unrounded. The division comes last: hours with endless decimals would be truncated,
 * and an exact half penny would come out below the half.
 */
export function timedAmount(
  units: Decimal | DecimalText,
  minutesPerUnit: DecimalText,
  rate: DecimalText,
): Decimal {
  return decimal(units).mul(minutesPerUnit).mul(rate).div(60);
}
