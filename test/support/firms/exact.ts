import { Decimal } from 'decimal.js';

/** The generator's own arithmetic: its figures must not depend on the code under test. */
export const Exact = Decimal.clone({
  precision: 60,
  rounding: Decimal.ROUND_HALF_UP,
  toExpNeg: -30,
  toExpPos: 40,
});
export type Exact = Decimal;

export const exact = (value: Decimal.Value): Exact => new Exact(value);

/** Rounds half-up to pennies or cents. */
export const pennies = (value: Exact): Exact => value.toDecimalPlaces(2, Decimal.ROUND_HALF_UP);

export const money = (value: Exact): string => value.toFixed(2);
