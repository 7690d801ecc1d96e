const DAY = 86_400_000;
const MINUTE = 60_000;

/** A day as a number to calculate with: days since 1970. */
export type DayNumber = number;

export const dayNumber = (day: string): DayNumber => Date.parse(`${day}T00:00:00Z`) / DAY;

export const dayText = (day: DayNumber): string => new Date(day * DAY).toISOString().slice(0, 10);

/**
 * An instant in UTC without suffix, in the form of the source's datetime2.
 * @param minute of the day, local time
 */
export function instantText(day: DayNumber, minute: number, hoursAhead: number): string {
  const instant = new Date(day * DAY + (minute - hoursAhead * 60) * MINUTE);
  return instant.toISOString().slice(0, -1);
}
