export type NaivePeriod = { min: string | null; max: string | null };

const DAY = 86_400_000;

/** Dates in UTC, so that no clock change matters. */
const at = (year: number, month: number, day: number) => new Date(Date.UTC(year, month, day));
const text = (date: Date) => date.toISOString().slice(0, 10);
const between = (from: Date, before: Date): NaivePeriod => ({
  min: text(from),
  max: text(new Date(before.getTime() - DAY)),
});

/**
 * The days of each relative period, both ends included.
 * @param start month, 1 to 12, in which a financial year starts
 */
export const naivePeriods: Record<string, (today: Date, start: number) => NaivePeriod> = {
  TODAY: (today) => days(today, 0, 0),
  YESTERDAY: (today) => days(today, -1, -1),
  THIS_WEEK: (today) => days(monday(today), 0, 6),
  LAST_WEEK: (today) => days(monday(today), -7, -1),
  NEXT_WEEK: (today) => days(monday(today), 7, 13),
  THIS_MONTH: (today) => months(today, today.getUTCMonth(), 0, 1),
  LAST_MONTH: (today) => months(today, today.getUTCMonth(), -1, 0),
  NEXT_MONTH: (today) => months(today, today.getUTCMonth(), 1, 2),
  THIS_QUARTER: (today) => months(today, quarter(today, 1), 0, 3),
  LAST_QUARTER: (today) => months(today, quarter(today, 1), -3, 0),
  NEXT_QUARTER: (today) => months(today, quarter(today, 1), 3, 6),
  THIS_YEAR: (today) => months(today, 0, 0, 12),
  LAST_YEAR: (today) => months(today, 0, -12, 0),
  NEXT_YEAR: (today) => months(today, 0, 12, 24),
  WEEK_TO_DATE: (today) => ({ min: text(monday(today)), max: text(today) }),
  MONTH_TO_DATE: (today) => toDate(today, today.getUTCMonth()),
  QUARTER_TO_DATE: (today) => toDate(today, quarter(today, 1)),
  YEAR_TO_DATE: (today) => toDate(today, 0),
  LAST_7_DAYS: (today) => days(today, -6, 0),
  LAST_30_DAYS: (today) => days(today, -29, 0),
  LAST_90_DAYS: (today) => days(today, -89, 0),
  LAST_365_DAYS: (today) => days(today, -364, 0),
  LAST_12_MONTHS: (today) => months(today, today.getUTCMonth(), -12, 0),
  THIS_FINANCIAL_YEAR: (today, start) => months(today, year(today, start), 0, 12),
  LAST_FINANCIAL_YEAR: (today, start) => months(today, year(today, start), -12, 0),
  THIS_FINANCIAL_QUARTER: (today, start) => months(today, quarter(today, start), 0, 3),
  LAST_FINANCIAL_QUARTER: (today, start) => months(today, quarter(today, start), -3, 0),
  FINANCIAL_YEAR_TO_DATE: (today, start) => toDate(today, year(today, start)),
  FINANCIAL_QUARTER_TO_DATE: (today, start) => toDate(today, quarter(today, start)),
  ALL_TIME: () => ({ min: null, max: null }),
};

function days(from: Date, first: number, last: number): NaivePeriod {
  const [min, max] = [first, last].map((count) => text(new Date(from.getTime() + count * DAY)));
  return { min, max };
}

/** @param month month counted from January of the date's year, from 0; negative for months of earlier years */
function months(date: Date, month: number, first: number, end: number): NaivePeriod {
  const start = (count: number) => at(date.getUTCFullYear(), month + count, 1);
  return between(start(first), start(end));
}

function toDate(today: Date, month: number): NaivePeriod {
  return { min: text(at(today.getUTCFullYear(), month, 1)), max: text(today) };
}

function monday(date: Date): Date {
  let found = date;
  while (found.getUTCDay() !== 1) found = new Date(found.getTime() - DAY);
  return found;
}

/**
 * The month in which the financial year began, counted from January of the date's year; negative for the year before.
 */
function year(date: Date, start: number): number {
  return start - 1 <= date.getUTCMonth() ? start - 1 : start - 13;
}

/** The month in which the financial quarter began; the calendar quarter if the financial year starts in January. */
function quarter(date: Date, start: number): number {
  let month = year(date, start);
  while (month + 3 <= date.getUTCMonth()) month += 3;
  return month;
}

export function isDate(given: string): boolean {
  if (!/^\d{4}-\d{2}-\d{2}$/.test(given) || given < '0001') return false;
  const [y, m, d] = given.split('-').map(Number);
  const lengths = [31, (y % 4 === 0 && y % 100 !== 0) || y % 400 === 0 ? 29 : 28];
  const length = [...lengths, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31][m - 1] ?? 0;
  return d >= 1 && d <= length;
}
