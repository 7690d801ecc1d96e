import { DateTime } from 'luxon';
import { type Day, daysAfter } from './zone';

/** Names of periods relative to a day. Weeks start on Monday. */
export const relativePeriods = [
  'TODAY',
  'YESTERDAY',
  'THIS_WEEK',
  'LAST_WEEK',
  'NEXT_WEEK',
  'THIS_MONTH',
  'LAST_MONTH',
  'NEXT_MONTH',
  'THIS_QUARTER',
  'LAST_QUARTER',
  'NEXT_QUARTER',
  'THIS_YEAR',
  'LAST_YEAR',
  'NEXT_YEAR',
  'WEEK_TO_DATE',
  'MONTH_TO_DATE',
  'QUARTER_TO_DATE',
  'YEAR_TO_DATE',
  'LAST_7_DAYS',
  'LAST_30_DAYS',
  'LAST_90_DAYS',
  'LAST_365_DAYS',
  'LAST_12_MONTHS',
  'THIS_FINANCIAL_YEAR',
  'LAST_FINANCIAL_YEAR',
  'THIS_FINANCIAL_QUARTER',
  'LAST_FINANCIAL_QUARTER',
  'FINANCIAL_YEAR_TO_DATE',
  'FINANCIAL_QUARTER_TO_DATE',
  'ALL_TIME',
] as const;
export type RelativePeriod = (typeof relativePeriods)[number];

/** The first and last local day, inclusive; null: open on that side. */
export interface Period {
  min: Day | null;
  max: Day | null;
}

export function isRelativePeriod(name: string): name is RelativePeriod {
  return (relativePeriods as readonly string[]).includes(name);
}

/**
 * The days of a relative period. This is calendar arithmetic only, so no clock change can shift a day.
 * @param today the day that the period is relative to, in the tenant's time zone
 * @param financialYearStart month, 1 to 12, on whose first day a financial year starts
 */
export function resolvePeriod(name: RelativePeriod, today: Day, financialYearStart: number): Period {
  const day = DateTime.fromISO(today, { zone: 'utc' });
  if (name === 'TODAY') return days(day, day);
  if (name === 'YESTERDAY') return days(day.minus({ days: 1 }), day.minus({ days: 1 }));
  if (name === 'ALL_TIME') return { min: null, max: null };
  if (name === 'LAST_12_MONTHS') {
    const month = day.startOf('month');
    return days(month.minus({ months: 12 }), month.minus({ days: 1 }));
  }
  const lastDays = /^LAST_(\d+)_DAYS$/.exec(name);
  if (lastDays) return days(day.minus({ days: Number(lastDays[1]) - 1 }), day);
  const toDate = /^(.+)_TO_DATE$/.exec(name);
  if (toDate) return days(startOf(toDate[1] as Span, day, financialYearStart), day);
  const [, which, span] = /^(THIS|LAST|NEXT)_(.+)$/.exec(name) as unknown as [string, Which, Span];
  const start = startOf(span, day, financialYearStart).plus(times(lengths[span], offsets[which]));
  return days(start, start.plus(lengths[span]).minus({ days: 1 }));
}

/** A cache by zone and day: converting to the zone's clock takes longer than the rest of resolving a period. */
const starts = new Map<string, number>();
const MAXIMUM_STARTS = 10_000;

/** The instant at which a day starts in a time zone. */
export function startOfDay(zone: string, day: Day): Date {
  const key = `${zone} ${day}`;
  let start = starts.get(key);
  if (start === undefined) {
    const midnights = DateTime.fromISO(day, { zone }).startOf('day').getPossibleOffsets();
    // A day on which clocks are put back to midnight has two midnights.
    start = Math.min(...midnights.map((midnight) => midnight.toMillis()));
    if (starts.size === MAXIMUM_STARTS) starts.clear();
    starts.set(key, start);
  }
  return new Date(start);
}

/** The instant at which a day has ended in a time zone: the start of the next one. */
export function endOfDay(zone: string, day: Day): Date {
  return startOfDay(zone, daysAfter(day, 1));
}

/** Whether a text is a calendar day, `YYYY-MM-DD`, from the year 1 on. */
export function isDay(text: string): boolean {
  if (!/^\d{4}-\d{2}-\d{2}$/.test(text) || text < '0001') return false;
  const date = new Date(`${text}T00:00:00Z`);
  // Date reads a day past the end of a month as one of the next month.
  return !Number.isNaN(date.getTime()) && date.toISOString().startsWith(text);
}

type Which = 'THIS' | 'LAST' | 'NEXT';
const offsets = { THIS: 0, LAST: -1, NEXT: 1 };
const lengths = {
  WEEK: { days: 7 },
  MONTH: { months: 1 },
  QUARTER: { months: 3 },
  YEAR: { months: 12 },
  FINANCIAL_QUARTER: { months: 3 },
  FINANCIAL_YEAR: { months: 12 },
};
type Span = keyof typeof lengths;

function startOf(span: Span, day: DateTime, financialYearStart: number): DateTime {
  if (span === 'WEEK') return day.startOf('week');
  const month = day.startOf('month');
  const length = lengths[span].months;
  const first = span.startsWith('FINANCIAL') ? financialYearStart : 1;
  return month.minus({ months: (month.month - first + 12) % length });
}

function times(length: { days?: number; months?: number }, factor: number) {
  return { days: (length.days ?? 0) * factor, months: (length.months ?? 0) * factor };
}

function days(min: DateTime, max: DateTime): Period {
  return { min: min.toISODate(), max: max.toISODate() };
}
