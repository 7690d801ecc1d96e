import { DateTime } from 'luxon';

/** A calendar day, `YYYY-MM-DD`. */
export type Day = string;

/** The day on which an instant falls in a time zone. */
export function dayIn(zone: string, instant: Date | string): Day {
  const at =
    typeof instant === 'string'
      ? DateTime.fromISO(instant, { zone })
      : DateTime.fromJSDate(instant, { zone });
  return at.toISODate() as Day;
}

export function isZone(zone: string): boolean {
  return DateTime.local().setZone(zone).isValid;
}
