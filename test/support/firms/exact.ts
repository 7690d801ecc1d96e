import { Decimal } from 'decimal.js';

/** The generator's own arithmetic: what it says must not depend on the code that it tests. */
export const Exact = Decimal.clone({
  precision: 60,
  rounding: Decimal.ROUND_HALF_UP,
  toExpNeg: -30,
  toExpPos: 40,
});
export type Exact = Decimal;

export const exact = (value: Decimal.Value): Exact => new Exact(value);

/** Half-up to pennies or cents. */
export const pennies = (value: Exact): Exact => value.toDecimalPlaces(2, Decimal.ROUND_HALF_UP);

export const money = (value: Exact): string => value.toFixed(2);
