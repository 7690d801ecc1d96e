import { DateTime } from 'luxon';
import { invalid } from './errors';

/** A calendar day, `YYYY-MM-DD`. */
export type Day = string;

const formats = new Map<string, Intl.DateTimeFormat>();

/**
 * The day on which an instant falls in a time zone. What falls before the year 1 or after the year 9999 counts to the first
 * or the last of the days between: clients mean "ever" by the ends of their calendars, which no record reaches.
 */
export function dayIn(zone: string, instant: Date | string): Day {
  let format = formats.get(zone);
  if (!format) {
    // The Swedish locale formats dates as ISO 8601 does.
    format = new Intl.DateTimeFormat('sv-SE', {
      timeZone: zone,
      year: 'numeric',
      month: '2-digit',
      day: '2-digit',
    });
    formats.set(zone, format);
  }
  const date = typeof instant === 'string' ? new Date(instant) : instant;
  const day = format.format(date);
  return day.length === 10 ? day : dayOfOtherYear(zone, date);
}

/** The day of an instant whose year Intl formats with more or fewer than four digits, and without its era. */
function dayOfOtherYear(zone: string, date: Date): Day {
  const local = DateTime.fromJSDate(date, { zone });
  if (local.year < 1) return '0001-01-01';
  return local.year > 9999 ? '9999-12-31' : local.toISODate()!;
}

/**
 * The day that a request names: a date as it is written, or the day of an instant in the tenant's zone.
 * @param otherwise the instant whose day is used when the request names none
 */
export function dayGiven(zone: string, text: string): Day;
export function dayGiven(zone: string, text: string | null | undefined, otherwise: Date): Day;
export function dayGiven(zone: string, text: string | null | undefined, otherwise?: Date): Day {
  return text?.length === 10 ? text : dayIn(zone, text ?? otherwise!);
}

/**
 * The day of a change to something that began on a certain day: the day that a request gives, or today, but no earlier
 * than the beginning.
 * @param began with the field of the request that gives the day
 * @throws DomainError with the given code (422) when the request's day is earlier
 */
export function dayNotBefore(
  began: { on: Day; code: string; what: string; field: string },
  day: Day,
  given: string | null | undefined,
): Day {
  if (day >= began.on) return day;
  if (given) throw invalid(began.code, `${began.field}: ${began.what} ${began.on}.`, began.field);
  return began.on;
}

/** The day that is `days` later. */
export function daysAfter(day: Day, days: number): Day {
  const date = new Date(`${day}T00:00:00Z`);
  date.setUTCDate(date.getUTCDate() + days);
  return date.toISOString().split('T')[0];
}

/**
 * The time zone of that name in the IANA database, spelled as in this machine's copy: `Europe/London` for
 * `europe/london`. Undefined when there is none. An offset such as `+01:00` is no zone.
 */
export function zoneNamed(text: string): string | undefined {
  if (!/^[a-z]/i.test(text)) return undefined;
  try {
    return new Intl.DateTimeFormat('en', { timeZone: text }).resolvedOptions().timeZone;
  } catch {
    return undefined;
  }
}
