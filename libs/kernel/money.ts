import { Decimal } from 'decimal.js';

/** Own copy, so that no other user of the library changes our precision or rounding. */
const Exact = Decimal.clone({ precision: 60, rounding: Decimal.ROUND_HALF_UP, toExpNeg: -30, toExpPos: 40 });

/** A decimal as text, in plain notation: how money, units and rates are kept in events and state. */
export type DecimalText = string;

/** Money as clients see it (● property names are capitalised). */
export interface MoneyRecord {
  Amount: number;
  Currency: string;
}

/** Money in events and state. */
export interface Money {
  amount: DecimalText;
  currency: string;
}

export function decimal(value: string | number | Decimal): Decimal {
  return new Exact(value);
}

export function text(value: Decimal): DecimalText {
  return value.toFixed();
}

/** A number of a request; none is null. The number's shortest decimal text is what the client wrote. */
export function numberGiven(value: number | null | undefined): DecimalText | null {
  return value === null || value === undefined ? null : text(decimal(value));
}

const digits = new Map<string, number>();

/** Digits after the point of a currency's minor unit (ISO 4217). */
export function minorUnits(currency: string): number {
  let known = digits.get(currency);
  if (known === undefined) {
    const options = new Intl.NumberFormat('en', { style: 'currency', currency }).resolvedOptions();
    known = options.maximumFractionDigits ?? 2;
    digits.set(currency, known);
  }
  return known;
}

/** Half-up to the currency's minor unit. */
export function roundMoney(value: Decimal, currency: string): Decimal {
  return value.toDecimalPlaces(minorUnits(currency), Decimal.ROUND_HALF_UP);
}

export function moneyRecord(money: Money): MoneyRecord {
  return { Amount: Number(money.amount), Currency: money.currency };
}

/** From a request; the number's shortest decimal text is what the client wrote. */
export function moneyFrom(record: MoneyRecord): Money {
  return { amount: text(decimal(record.Amount)), currency: record.Currency };
}
