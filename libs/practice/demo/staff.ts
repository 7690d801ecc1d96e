import type { NewStream } from '#event-store/append/append-bulk';
import type { Folded } from '#event-store/events';
import { newId } from '#kernel/ids';
import type { Money } from '#kernel/money';
import type { Day } from '#kernel/zone';
import { type ResolvedRate, rateNotFound, resolveFor } from '../applicable-rates/rate.lookup';
import { Employee, type EmployeeState } from '../employees/employee';
import type { EmployeeFields } from '../employees/employee.events';
import { noReference } from '../records/record';
import type { TaskTypeState } from '../task-types/task-type';
import type { Calendar } from './calendar';
import { type Department, money } from './demo-office';
import type { Start } from './demo-start';
import { Life } from './life';
import type { Names } from './names';
import { type Made, person } from './people';
import { grades, supportStaff } from './practices';
import type { Random } from './random';

const RISE_A_YEAR = 1.04;
const EARNERS_A_SUPPORTER = 6;

/** A fee earner, whose time is charged. */
export class Earner {
  private readonly known = new Map<string, ResolvedRate>();

  /** @param years the employee in each year of the firm; the rate rises */
  constructor(
    private readonly years: readonly { from: number; employee: Folded<EmployeeState> }[],
    readonly isSenior: boolean,
    private readonly start: Start,
  ) {}

  get id(): string {
    return this.years[0].employee.id;
  }

  /** The rate of an hour on a day, as the rate rules resolve it. */
  rate(index: number, day: Day, taskType: Folded<TaskTypeState> | undefined) {
    const { settings, rateSet } = this.start;
    const year = this.years.findLastIndex(({ from }) => from <= index);
    const name = `${year} ${taskType?.id}`;
    let resolved = this.known.get(name);
    if (!resolved) {
      const { employee } = this.years[year];
      const work = { itemType: 0, day, currency: settings.currency, matter: undefined, employee } as const;
      const agreed = { matterRates: [], clientRates: [], matterSet: undefined, clientSet: undefined };
      resolved = resolveFor({ ...work, taskType }, { ...agreed, defaultSet: rateSet });
      this.known.set(name, resolved);
    }
    const { rate, source } = resolved;
    if (!rate || !source) throw rateNotFound(resolved);
    return { rate, rateSource: source };
  }
}

export interface Staff {
  everybody: Earner[];
  /** In the order of the departments. */
  teams: Earner[][];
}

/** Employs fee earners of all grades in every department, and support staff. */
export function hire(
  { start, names, random, calendar }: { start: Start; names: Names; random: Random; calendar: Calendar },
  departments: readonly Department[],
  count: number,
): Made<Staff> {
  const streams: NewStream[] = [];
  const teams: Earner[][] = departments.map(() => []);
  const alike = new Map<string, number>();
  const employ = (given: Omit<EmployeeFields, 'entityId' | 'initials'>) => {
    const joinedAt = calendar.at(0, 0);
    const { id: entityId, initials: plain, stream } = person(names, start.settings, joinedAt);
    streams.push(stream);
    // Initials must be unique, because a LEDES file identifies timekeepers by them.
    const number = (alike.get(plain) ?? 0) + 1;
    alike.set(plain, number);
    const initials = number === 1 ? plain : `${plain}${number}`;
    const data = { entityId, initials, ...given, ...noReference };
    return new Life(Employee, newId('employee'), joinedAt, { type: 'EmployeeCreated', data });
  };
  for (let number = 0; number < count; number++) {
    // Each department gets one fee earner first. The others are spread by the departments' sizes.
    const team = number < departments.length ? number : byShare(departments, random.next());
    const level = teams[team].length === 0 ? 0 : byShare(grades, random.next());
    const { grade, jobTitle, rate } = grades[level];
    const rates = raised(rate[start.settings.region] * random.between(0.9, 1.1), calendar, start);
    const employee = employ({
      divisionId: departments[team].divisionId,
      jobTitle,
      billingGrade: grade,
      isFeeEarner: true,
      defaultRate: rates[0].rate,
    });
    const years = rates.map(({ from, rate: defaultRate }, year) => {
      if (year > 0 && defaultRate.amount !== rates[year - 1].rate.amount)
        employee.live([{ type: 'EmployeeUpdated', data: { defaultRate } }]);
      return { from, employee: employee.folded() };
    });
    streams.push(employee.stream());
    teams[team].push(new Earner(years, level < 2, start));
  }
  for (let number = 0; number < Math.ceil(count / EARNERS_A_SUPPORTER); number++) {
    const supporter = employ({
      divisionId: null,
      jobTitle: supportStaff[number % supportStaff.length],
      billingGrade: null,
      isFeeEarner: false,
      defaultRate: null,
    });
    streams.push(supporter.stream());
  }
  const everybody = teams.flat();
  // In a firm with fewer people than departments, everybody also works for the departments that have nobody.
  return { made: { everybody, teams: teams.map((team) => (team.length > 0 ? team : everybody)) }, streams };
}

/** The rate of each year, as a multiple of 5, rising to the given rate in the last year. */
function raised(now: number, { days }: Calendar, start: Start): { from: number; rate: Money }[] {
  const years = Math.max(1, Math.round(days.length / 253));
  return Array.from({ length: years }, (_, year) => ({
    from: Math.floor((year * days.length) / years),
    rate: money(5 * Math.round(now / RISE_A_YEAR ** (years - 1 - year) / 5), start),
  }));
}

function byShare(
  items: readonly ({ share: number } | { practice: { share: number } })[],
  drawn: number,
): number {
  const shares = items.map((item) => ('practice' in item ? item.practice.share : item.share));
  let rest = drawn * shares.reduce((sum, share) => sum + share, 0);
  const found = shares.findIndex((share) => (rest -= share) < 0);
  return found < 0 ? items.length - 1 : found;
}
