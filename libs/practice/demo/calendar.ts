import { DateTime } from 'luxon';
import type { Day } from '#kernel/zone';

const OPENS_AT = 8;
/**
 * From the opening time. Work ends an hour before the end; events that follow from the work are recorded in that hour.
 */
const MINUTES_A_DAY = 11 * 60;
const HOLIDAYS = ['12-25', '12-26', '01-01'];

/** How busy a firm is, by month: quiet in summer and at Christmas, busy at the end of the tax year. */
const SEASONS = {
  uk: [0.95, 1, 1.15, 0.95, 1, 1.05, 0.95, 0.75, 1.05, 1.1, 1.1, 0.75],
  au: [0.65, 1, 1.05, 0.9, 1.05, 1.15, 1, 1, 1, 1.05, 1.05, 0.7],
};

/** The first and the last working day of a month, as indexes. */
export interface Month {
  from: number;
  to: number;
}

/** The working days of some years up to now, numbered from 0. */
export class Calendar {
  readonly days: readonly Day[];
  readonly months: readonly Month[];
  private readonly openings: readonly number[];
  /** The sum of the work from the first day to the end of each day. */
  private readonly load: readonly number[];

  /**
   * @param years how many years before now the calendar begins; a day counts once it is over
   * @param zone IANA name
   */
  constructor(now: Date, years: number, zone: string, region: 'uk' | 'au') {
    const [days, openings, load, months] = [[] as Day[], [] as number[], [] as number[], [] as Month[]];
    const first = DateTime.fromJSDate(now, { zone }).startOf('day').minus({ years }).plus({ days: 1 });
    const over = now.getTime() - MINUTES_A_DAY * 60_000;
    let done = 0;
    for (let at = first.set({ hour: OPENS_AT }); at.toMillis() <= over; at = at.plus({ days: 1 })) {
      const day: Day = at.toISODate()!;
      if (at.weekday > 5 || HOLIDAYS.includes(day.slice(5))) continue;
      const isNewMonth = days.at(-1)?.slice(0, 7) !== day.slice(0, 7);
      if (isNewMonth) months.push({ from: days.length, to: days.length });
      months[months.length - 1].to = days.length;
      days.push(day);
      openings.push(at.toMillis());
      load.push((done += SEASONS[region][at.month - 1]));
    }
    this.days = days;
    this.months = months;
    this.openings = openings;
    this.load = load;
  }

  /** Index of the last day. */
  get last(): number {
    return this.days.length - 1;
  }

  /** An instant on a day. @param minutes after opening, below 660 */
  at(day: number, minutes: number): Date {
    return new Date(this.openings[day] + minutes * 60_000);
  }

  /** The day by which the given share of the work between two days (both included) was done. */
  dayOf(share: number, from: number, to: number): number {
    const before = from === 0 ? 0 : this.load[from - 1];
    const wanted = before + share * (this.load[to] - before);
    let [low, high] = [from, to];
    while (low < high) {
      const middle = (low + high) >> 1;
      if (this.load[middle] > wanted) high = middle;
      else low = middle + 1;
    }
    return low;
  }

  /** The amount of work between two days (both included), in days of a month of average business. */
  loadOf(from: number, to: number): number {
    return this.load[to] - (from === 0 ? 0 : this.load[from - 1]);
  }
}
