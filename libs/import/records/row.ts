import { type DecimalText, decimal, type Money, text } from '#kernel/money';

/** A row of a staging table by column names. Empty texts are null. */
export type Row = Readonly<Record<string, string | null>>;

/** A value that is there, as the validation has checked. @throws Error when it is missing */
export function needed(row: Row, column: string): string {
  const value = row[column];
  if (value === null || value === undefined) throw new Error(`${column} of row ${row.ImportId} is empty`);
  return value;
}

/** A decimal in plain notation, as events store it: `12.5` for `12.5000`. */
export function amountOf(value: string): DecimalText {
  // The common case, which is what SQL Server writes, needs no arithmetic.
  const point = value.indexOf('.');
  const isCanonical = /^-?(0|[1-9]\d*)(\.\d+)?$/.test(value);
  if (!isCanonical) return text(decimal(value));
  if (point < 0) return value === '-0' ? '0' : value;
  let end = value.length;
  while (value.charCodeAt(end - 1) === 48) end--;
  const plain = value.slice(0, end - 1 === point ? point : end);
  return plain === '-0' ? '0' : plain;
}

export function maybeAmount(value: string | null): DecimalText | null {
  return value === null ? null : amountOf(value);
}

export function moneyOf(value: string, currency: string): Money {
  return { amount: amountOf(value), currency };
}

export function maybeMoney(value: string | null, currency: string): Money | null {
  return value === null ? null : moneyOf(value, currency);
}

export function flagOf(value: string): boolean {
  return value === '1';
}

/** Converts `2026-03-31T09:30:00.0000000` to ISO 8601 UTC with milliseconds, as in requests; a day to its midnight. */
export function instantOf(value: string): string {
  if (/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3,}$/.test(value)) return `${value.slice(0, 23)}Z`;
  return new Date(value.endsWith('Z') || value.length === 10 ? value : `${value}Z`).toISOString();
}

export function wholeOf(value: string | null): number | null {
  return value === null ? null : Number(value);
}
