import type { NewStream } from '#event-store/append/append-bulk';
import { newId } from '#kernel/ids';
import { archiveMatter, closeMatter, MATTER_NUMBER, Matter, type MatterState } from '../matters/matter';
import type { MatterEvent, MatterFields } from '../matters/matter.events';
import { noReference } from '../records/record';
import type { Calendar } from './calendar';
import type { Acquired } from './clients';
import { type Department, money } from './demo-office';
import type { Start } from './demo-start';
import { Life } from './life';
import type { Names } from './names';
import type { Random } from './random';
import type { Earner } from './staff';

/** When a matter has work, and how much. Days are indexes of the calendar. */
export interface Course {
  from: number;
  to: number;
  items: number;
  /** The day on which it is closed, after its last invoice was issued; undefined when it stays open. */
  closed: number | undefined;
}

/** A matter, with what recording work on it needs. */
export interface Engagement {
  id: string;
  client: Acquired;
  department: Department;
  team: Earner[];
  minutesPerUnit: string;
}

const NO_WORK = { work: 0, costs: 0, drafts: 0 };
/**
 * Working days between the end of the work and the closing of the matter: to the end of the month, to the invoices of
 * the next month, and a few more.
 */
const CLOSING_DAYS = 35;
const MEDIAN_DAYS = 100;

/** The courses of all matters of the firm, in the order in which the matters are opened. */
export function courses(calendar: Calendar, matters: number, items: number, random: Random): Course[] {
  const spans = Array.from({ length: matters }, () => {
    // Some matters are opened in the first days, because the firm already had work when it began.
    const share = random.chance(0.12) ? random.next() * 0.04 : random.next() * 0.97;
    const days = Math.max(10, Math.round(random.skewed(MEDIAN_DAYS, 0.7)));
    return { from: Math.floor(share * calendar.days.length), days, weight: random.skewed(1, 0.8) };
  }).sort((one, other) => one.from - other.from);
  const weighed = spans.map(({ from, days, weight }) => {
    const to = Math.min(calendar.last, from + days);
    const closed = from + days + CLOSING_DAYS + random.whole(0, 40);
    const course = { from, to, closed: closed <= calendar.last ? closed : undefined };
    return { course, weight: weight * calendar.loadOf(from, to) };
  });
  const total = weighed.reduce((sum, { weight }) => sum + weight, 0);
  let [before, given] = [0, 0];
  return weighed.map(({ course, weight }) => {
    before += weight;
    const upTo = Math.round((items * before) / total);
    const share = upTo - given;
    given = upTo;
    return { ...course, items: share };
  });
}

/** Opens matters. Each takes the next matter number. */
export class Matters {
  private last: number;

  constructor(
    private readonly start: Start,
    private readonly names: Names,
    private readonly random: Random,
    private readonly calendar: Calendar,
  ) {
    this.last = start.numbers.matter;
  }

  /** Opens a matter. The stream already has its events up to the last day, including the closing. */
  open(
    { from, closed }: Course,
    client: Acquired,
    department: Department,
    staff: readonly Earner[],
  ): { engagement: Engagement; stream: NewStream } {
    const { random, calendar, start } = this;
    const openedAt = calendar.at(from, random.whole(0, 60));
    const type = random.pick(department.types);
    const senior = staff.filter(({ isSenior }) => isSenior);
    const team = [
      random.pick(senior.length > 0 ? senior : staff),
      ...[random.pick(staff), random.pick(staff)].slice(random.whole(0, 1)),
    ];
    const unit = random.chance(0.03) ? '10' : null;
    const fields: MatterFields = {
      clientId: client.id,
      divisionId: department.divisionId,
      title: this.title(type.titles),
      matterNumber: String(++this.last),
      matterTypeId: type.id,
      responsiblePersonId: team[0].id,
      actingPersonId: team[1].id,
      assistingPersonId: team.at(2)?.id ?? null,
      introducerId: null,
      billingContactId: client.billingContactId,
      currency: start.settings.currency,
      feeEstimate: random.chance(0.4) ? money(250 * random.whole(2, 60), start) : null,
      disbursementEstimate: random.chance(0.2) ? money(50 * random.whole(1, 30), start) : null,
      rateSetId: null,
      taxCodeId: null,
      minutesPerUnit: unit,
      dateOpened: openedAt.toISOString(),
    };
    const created: MatterEvent = { type: 'MatterCreated', data: { ...fields, ...noReference } };
    const matter = new Life(Matter, newId('matter'), openedAt, created);
    if (closed !== undefined) this.close(matter, closed);
    const minutesPerUnit = unit ?? start.settings.minutesPerUnit;
    return {
      engagement: { id: matter.id, client, department, team, minutesPerUnit },
      stream: matter.stream({ [MATTER_NUMBER]: this.last }),
    };
  }

  private close(matter: Life<MatterState, MatterEvent>, day: number): void {
    const { random, calendar } = this;
    matter.live(closeMatter(matter.data, NO_WORK, calendar.at(day, 500)));
    const archived = day + random.whole(60, 160);
    if (archived <= calendar.last && random.chance(0.8))
      matter.live(archiveMatter(matter.data, calendar.at(archived, 540)));
  }

  private title(titles: readonly string[]): string {
    const { random, names } = this;
    const { lastName } = names.person();
    return random
      .pick(titles)
      .replace('{person}', lastName)
      .replace('{company}', () => names.company())
      .replace('{street}', () => names.street());
  }
}
