/** A calendar day, `YYYY-MM-DD`. */
export type Day = string;

const formats = new Map<string, Intl.DateTimeFormat>();

/** The day on which an instant falls in a time zone. */
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
  return format.format(typeof instant === 'string' ? new Date(instant) : instant);
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
