import { Decimal } from 'decimal.js';

/** A copy of the class, so that no other user of the library changes our precision or rounding. */
const Exact = Decimal.clone({ precision: 60, rounding: Decimal.ROUND_HALF_UP, toExpNeg: -30, toExpPos: 40 });

/** A decimal as text in plain notation, as events and state store money, units and rates. */
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

/** A number of a request as decimal text, null for none. Its shortest decimal form is what the client wrote. */
export function numberGiven(value: number | null | undefined): DecimalText | null {
  return value === null || value === undefined ? null : text(decimal(value));
}

/** Currencies whose minor unit does not have two digits, by its number of digits. */
const unusual: Readonly<Record<number, string>> = {
  0: 'BIF CLP DJF GNF ISK JPY KMF KRW PYG RWF UGX UYI VND VUV XAF XOF XPF',
  3: 'BHD IQD JOD KWD LYD OMR TND',
  4: 'CLF UYW',
};

const digits = new Map(
  Object.entries(unusual).flatMap(([count, codes]) => codes.split(' ').map((code) => [code, Number(count)])),
);

/**
 * The number of decimal digits of a currency's minor unit. Intl is of no use here: its data (CLDR) has the digits in
 * everyday use, which for the forint and the rupiah are none.
 * @see ISO 4217, list one: https://www.six-group.com/dam/download/financial-information/data-center/iso-currrency/lists/list-one.xml
 */
export function minorUnits(currency: string): number {
  return digits.get(currency) ?? 2;
}

/** Rounds half-up to the currency's minor unit. */
export function roundMoney(value: Decimal, currency: string): Decimal {
  return value.toDecimalPlaces(minorUnits(currency), Decimal.ROUND_HALF_UP);
}

export function moneyRecord(money: Money): MoneyRecord {
  return { Amount: Number(money.amount), Currency: money.currency };
}

/** Converts money of a request. The number's shortest decimal form is what the client wrote. */
export function moneyFrom(record: MoneyRecord): Money {
  return { amount: text(decimal(record.Amount)), currency: record.Currency };
}
