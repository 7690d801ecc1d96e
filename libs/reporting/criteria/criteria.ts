import { isId, type Kind, kindOf, toUuid } from '#kernel/ids';
import { isDay, isRelativePeriod, type Period, relativePeriods, resolvePeriod } from '#kernel/periods';
import { dayIn } from '#kernel/zone';
import type { Condition } from '../condition';
import { quote, type Reason, refused } from '../refusal';
import type { TenantCalendar } from '../tenant-calendar';
import type { DatePeriodInput } from './period.input';

/** Reads a period: the fixed one if given, otherwise the relative one, otherwise undefined. */
export function readPeriod(
  fixed: Given<DatePeriodInput>,
  relative: Given<string>,
  relativeTo: Given<string>,
  calendar: TenantCalendar,
  paths: { fixed: string; relative: string; relativeTo: string },
): Period | undefined {
  const anchor = readDay(relativeTo, paths.relativeTo);
  if (relative !== null && relative !== undefined && !isRelativePeriod(relative)) {
    const known = relativePeriods.join(', ');
    throw refused(
      'UNKNOWN_PERIOD',
      paths.relative,
      `${quote(relative)} is no relative period. Known are ${known}.`,
    );
  }
  if (fixed) {
    const min = readDay(fixed.min, `${paths.fixed}.min`);
    const max = readDay(fixed.max, `${paths.fixed}.max`);
    if (min && max && max < min) throw refused('PERIOD_INVALID', `${paths.fixed}.max`, 'max is before min.');
    return { min, max };
  }
  if (relative === null || relative === undefined) return undefined;
  const day = anchor ?? dayIn(calendar.zone, calendar.now);
  const period = resolvePeriod(relative, day, calendar.financialYearStart);
  if (![period.min, period.max].every((end) => end === null || isDay(end)))
    throw refused('PERIOD_INVALID', paths.relativeTo, `${relative} of ${day} leaves the years 1 to 9999.`);
  return period;
}

function readDay(given: Given<string>, path: string): string | null {
  if (given === null || given === undefined) return null;
  if (!isDay(given))
    throw refused('PERIOD_INVALID', path, `${quote(given)} is no date of the form YYYY-MM-DD.`);
  return given;
}

/** Reads the UUID of a prefixed id of the expected kind. */
export function readId(kind: Kind, given: string, path: string): string {
  if (isId(kind, given)) return toUuid(given);
  const fault = kindOf(given) ? 'is an id of another kind' : 'is no id';
  throw refused(
    'ID_INVALID',
    path,
    `${quote(given)} ${fault}: expected ${kind}_<32 lowercase hexadecimal digits>.`,
  );
}

/** The condition that a column holds one of the given ids. Null and an empty list restrict nothing: no condition. */
export function idCondition(
  sql: string,
  of: string,
  kind: Kind,
  given: Given<readonly string[]>,
  path: string,
  joins: string[] = [],
): Condition[] {
  if (!given || given.length === 0) return [];
  const uuids = given.map((id, index) => readId(kind, id, `${path}[${index}]`));
  return [
    { of, joins, isSelective: kind !== 'division', sql: (bind) => `${sql} = any(${bind(uuids)}::uuid[])` },
  ];
}

/**
 * The condition that a small integer column holds the index of one of the given names. Null and an empty list restrict
 * nothing.
 */
export function choiceCondition(
  sql: string,
  of: string,
  names: readonly string[],
  given: Given<readonly string[]>,
  path: string,
  reason: Reason,
): Condition[] {
  if (!given || given.length === 0) return [];
  const numbers = given.map((name, index) => {
    const number = names.findIndex((known) => squeezed(known) === squeezed(name));
    if (number === -1)
      throw refused(reason, `${path}[${index}]`, `${quote(name)} is unknown. Known are ${names.join(', ')}.`);
    return number;
  });
  return [{ of, sql: (bind) => `${sql} = any(${bind(numbers)}::smallint[])` }];
}

/** Normalises a name: `Timed Fee`, `TimedFee` and `TIMED_FEE` are the same. */
function squeezed(name: string): string {
  return name.replace(/[\s_]/g, '').toLowerCase();
}

export type Given<T> = T | null | undefined;
