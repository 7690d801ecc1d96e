import type { Decimal } from 'decimal.js';
import { type DecimalText, decimal, minorUnits } from '#kernel/money';

export interface TaxedLine {
  amount: DecimalText;
  /** Percent. */
  taxRate: DecimalText;
}

/**
 * The tax of each line in whole minor units, such that the sum is `tax`. That is not the sum of the lines' rounded
 * taxes, because it was summed unrounded for each tax code and then rounded. Every line's tax is rounded down; the
 * remaining minor units go, one each, to the lines that lost most, the earlier line first.
 *
 * Lines of one rate share the rounded tax of that rate. Only when two codes have the same rate may these shares not add
 * up to `tax`; then all lines share all of it.
 *
 * @throws Error when no rounding of the lines adds up to `tax`: the invoice is wrong
 */
export function lineTaxes(lines: TaxedLine[], tax: DecimalText, currency: string): Decimal[] {
  const minor = decimal(10).pow(minorUnits(currency));
  const exact = lines.map((line) => decimal(line.amount).mul(line.taxRate).div(100).mul(minor));
  const due = decimal(tax).mul(minor);
  const rates = lines.map((line) => decimal(line.taxRate).toFixed());
  const shares = [...new Set(rates)].map((rate) => {
    const members = exact.map((_, index) => index).filter((index) => rates[index] === rate);
    return { members, due: sum(members.map((index) => exact[index])).round() };
  });
  const whole = { members: exact.map((_, index) => index), due };
  const taxes = exact.map(() => decimal(0));
  for (const share of sum(shares.map((one) => one.due)).eq(due) ? shares : [whole]) {
    const apportioned = apportion(
      share.members.map((index) => exact[index]),
      share.due,
    );
    share.members.forEach((index, place) => {
      taxes[index] = apportioned[place].div(minor);
    });
  }
  return taxes;
}

/**
 * Divides `due` into whole parts, each of them the exact part rounded down or up, by the method of the largest
 * remainder.
 */
function apportion(exact: Decimal[], due: Decimal): Decimal[] {
  const floors = exact.map((part) => part.floor());
  const left = due.minus(sum(floors));
  const byRemainder = exact
    .map((part, index) => ({ index, remainder: part.minus(floors[index]) }))
    .filter(({ remainder }) => !remainder.isZero())
    .sort((one, other) => other.remainder.cmp(one.remainder));
  if (!left.isInteger() || left.isNegative() || left.gt(byRemainder.length)) {
    throw new Error(`A tax of ${due} minor units cannot be that of lines that bear ${sum(exact)}`);
  }
  const up = new Set(byRemainder.slice(0, left.toNumber()).map(({ index }) => index));
  return floors.map((floor, index) => (up.has(index) ? floor.plus(1) : floor));
}

function sum(values: Decimal[]): Decimal {
  return values.reduce((total, value) => total.plus(value), decimal(0));
}
