import type { NewStream } from '#event-store/append/append-bulk';
import type { Day } from '#kernel/zone';
import { BillableStatus } from '../billable/billable';
import { definitionOf } from '../invoices/invoice.sources';
import { Billing } from './billing';
import { Calendar, type Month } from './calendar';
import { type Acquired, Clients } from './clients';
import { furnish, type Office } from './demo-office';
import type { DemoSize } from './demo-size';
import { requireStandardTax, type Start } from './demo-start';
import { type Course, courses, type Engagement, Matters } from './matters';
import { Names } from './names';
import { Random } from './random';
import { hire, type Staff } from './staff';
import { type Billed, Work } from './work';

/** Share of the work items that record time without a matter. */
const OFFICE_SHARE = 0.04;
const COSTS_AN_ITEM = 0.15;
const RETURNING_CLIENTS = 0.45;
const QUARTERLY = 0.2;
const BILLING_DAYS = 5;
const DRAFTED_AT_THE_END = 0.25;

/** A matter that will have more work. */
interface Running {
  engagement: Engagement;
  course: Course;
  entries: Entries;
  /** Months between its invoices. */
  cadence: number;
  /** Its items that are not billed yet. */
  open: Billed[];
}

/** An imaginary law firm. Its records come in the order in which they were created. */
export class DemoFirm {
  private readonly calendar: Calendar;
  private readonly random: Random;
  private readonly names: Names;
  private readonly billing: Billing;
  private readonly clients: Clients;
  private readonly acquired: Acquired[] = [];
  private running: Running[] = [];

  /** @throws DomainError `start_data_missing`, `tax_rate_not_found` (422) */
  constructor(
    private readonly start: Start,
    private readonly size: DemoSize,
    now: Date,
  ) {
    const { timeZone, region } = start.settings;
    this.random = new Random(size.seed);
    this.calendar = new Calendar(now, size.years, timeZone, region);
    this.names = new Names(region, this.random);
    this.billing = new Billing(start, this.random, this.calendar);
    this.clients = new Clients(start, this.names, this.random);
    requireStandardTax(start, this.calendar.days[0]);
  }

  /**
   * The tax rates that the invoices charge: the first days of the rates, by the tax code's id. Complete after the last
   * stream.
   */
  get charged(): ReadonlyMap<string, ReadonlySet<Day | null>> {
    return this.billing.charged;
  }

  /** Complete after the last stream. */
  get figures() {
    const { invoices } = this.billing;
    const { feeEarners, matters, items } = this.size;
    return { feeEarners, clients: this.clients.made, matters, items, invoices };
  }

  /**
   * All records of the firm, each with all its events. A record comes after the records that it refers to, and the
   * numbers of invoices follow their days. Memory holds only what is not billed yet.
   */
  *streams(): Generator<NewStream> {
    const { start, names, random, calendar, size } = this;
    const { made: office, streams: furniture } = furnish(start, names, size.items, calendar.at(0, 0));
    yield* furniture;
    const { made: staff, streams: people } = hire(
      { start, names, random, calendar },
      office.departments,
      size.feeEarners,
    );
    yield* people;
    const work = new Work(start, office, random, calendar);
    const inOffice = Math.round(size.items * OFFICE_SHARE);
    const entries = new Entries(calendar, random, { from: 0, to: calendar.last, items: inOffice });
    const planned = courses(calendar, size.matters, size.items - inOffice, random);
    const matters = new Matters(start, names, random, calendar);
    let opened = 0;
    for (const [index, month] of calendar.months.entries()) {
      for (; planned[opened]?.from <= month.to; opened++)
        yield* this.open(planned[opened], matters, office, staff);
      for (const day of entries.upTo(month.to))
        yield work.inOffice(day, random.pick(staff.everybody)).stream();
      for (const running of this.running) yield* this.record(running, month, work);
      const next = calendar.months.at(index + 1);
      if (next) yield* this.bill(index, month, next);
    }
    yield* this.finish();
  }

  private *open(course: Course, matters: Matters, office: Office, staff: Staff): Generator<NewStream> {
    const { random, calendar, acquired } = this;
    let client = acquired.length > 0 && random.chance(RETURNING_CLIENTS) ? random.pick(acquired) : undefined;
    if (!client) {
      const at = calendar.at(course.from, 0);
      const made = this.clients.acquire(at);
      yield* made.streams;
      if (random.chance(0.08)) yield* this.clients.bystander(at);
      client = made.client;
      acquired.push(client);
    }
    const department = random.weighted(
      office.departments.map((one): readonly [number, typeof one] => [one.practice.share, one]),
    );
    const team = staff.teams[office.departments.indexOf(department)];
    const { engagement, stream } = matters.open(course, client, department, team);
    yield stream;
    const entries = new Entries(calendar, random, course);
    const cadence = random.chance(QUARTERLY) ? 3 : 1;
    this.running.push({ engagement, course, entries, cadence, open: [] });
  }

  /** The work of a month on a matter. Yields the items that cannot be billed; the others wait for an invoice. */
  private *record(running: Running, { to }: Month, work: Work): Generator<NewStream> {
    const { engagement, course, entries, open } = running;
    const mayWait = course.closed === undefined;
    for (const day of entries.upTo(to)) {
      const done: Billed[] = [work.onMatter(day, engagement, mayWait)];
      if (this.random.chance(COSTS_AN_ITEM)) done.push(work.cost(day, engagement, mayWait));
      for (const life of done) {
        if (isBillable(life)) open.push(life);
        else yield life.stream();
      }
    }
  }

  /** The invoices of a month, sent in the first days of the next month. */
  private *bill(index: number, month: Month, next: Month): Generator<NewStream> {
    const { running } = this;
    const days = Math.min(BILLING_DAYS, next.to - next.from + 1);
    for (const [place, one] of running.entries()) {
      const isLast = one.course.to <= month.to;
      if (one.open.length === 0 || (!isLast && index % one.cadence !== 0)) continue;
      const day = next.from + Math.floor((place * days) / running.length);
      const { streams, open } = this.billing.bill(one.engagement, one.open, day, isLast);
      yield* streams;
      one.open = open;
    }
    this.running = running.filter(({ course }) => course.to > month.to);
  }

  /** The items that are unbilled on the last day. */
  private *finish(): Generator<NewStream> {
    for (const { engagement, open } of this.running) {
      if (open.length === 0) continue;
      if (this.random.chance(DRAFTED_AT_THE_END))
        yield* this.billing.prepare(engagement, open, this.calendar.last);
      else for (const life of open) yield life.stream();
    }
  }
}

/** The days on which the entries of a matter are made. */
class Entries {
  private made = 0;
  private next: number | undefined;

  constructor(
    private readonly calendar: Calendar,
    private readonly random: Random,
    private readonly course: Pick<Course, 'from' | 'to' | 'items'>,
  ) {}

  /** The days of the entries up to the given day, without those that an earlier call returned. */
  *upTo(last: number): Generator<number> {
    const { calendar, random, course } = this;
    for (; this.made < course.items; this.made++, this.next = undefined) {
      this.next ??= calendar.dayOf((this.made + random.next()) / course.items, course.from, course.to);
      if (this.next > last) return;
      yield this.next;
    }
  }
}

function isBillable(life: Billed): boolean {
  return definitionOf(life.id).isBillable(life.data) && life.data.state === BillableStatus.Finalised;
}
