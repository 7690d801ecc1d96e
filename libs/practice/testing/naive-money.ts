import { Decimal } from 'decimal.js';

/** Decimal arithmetic for the ledger alone, independent of the service's. */
const Exact = Decimal.clone({ precision: 50, rounding: Decimal.ROUND_HALF_UP });
export const exact = (value: Decimal.Value): Decimal => new Exact(value);
export const pence = (value: Decimal): Decimal => value.toDecimalPlaces(2, Decimal.ROUND_HALF_UP);
export const zero = exact(0);

/** Money and units. */
export interface Part {
  amount: Decimal;
  units: Decimal;
}

export function minus(one: Part, other: Part): Part {
  return { amount: one.amount.sub(other.amount), units: one.units.sub(other.units) };
}

export function above(one: Part, other: Part): Part {
  const { amount, units } = minus(one, other);
  return { amount: Decimal.max(amount, 0), units: Decimal.max(units, 0) };
}
