import type { Decimal } from 'decimal.js';
import { decimal } from './money';

/** A tick is 100 ns: 10,000,000 ticks are a second, 36,000,000,000 an hour. */
export const TICKS_PER_MINUTE = 600_000_000;

/** How a fraction of a unit is rounded. */
export type UnitRounding = 'Up' | 'Nearest' | 'Down';

/**
 * The units of a duration, as a whole number: at least 1 when any time was recorded.
 * @param ticks ≥ 0
 * @param minutesPerUnit > 0, at most 4 decimals
 * @see resources.md, Units
 */
export function unitsOf(ticks: number, minutesPerUnit: string, rounding: UnitRounding): Decimal {
  if (ticks === 0) return decimal(0);
  const exact = decimal(ticks).div(decimal(minutesPerUnit).mul(TICKS_PER_MINUTE));
  const whole =
    rounding === 'Up' ? exact.ceil() : rounding === 'Down' ? exact.floor() : exact.add('0.5').floor();
  return whole.lt(1) ? decimal(1) : whole;
}
