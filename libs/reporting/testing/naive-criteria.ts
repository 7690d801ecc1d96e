import { dayIn } from '#kernel/zone';
import { ITEM_TYPES, type NaiveReport, STATES } from './naive-columns';
import { isDate, type NaivePeriod, naivePeriods } from './naive-periods';
import type { NaiveRow } from './naive-values';

export interface Fault {
  reason: string;
  path: string;
}

/** A tenant's time zone and financial year, and the current time. */
export interface NaiveTenant {
  zone: string;
  financialYearStart: number;
  now: Date;
}

// biome-ignore lint/suspicious/noExplicitAny: what a client sends as criteria or slice
export type Sent = any;

/** Which rows meet the criteria, and the criteria's faults. */
export interface NaiveCriteria {
  faults: Fault[];
  holds(row: NaiveRow): boolean;
}

export function readNaiveCriteria(report: NaiveReport, sent: Sent, tenant: NaiveTenant): NaiveCriteria {
  const faults: Fault[] = [];
  const tests: ((row: NaiveRow) => boolean)[] = [];
  const given = sent ?? {};
  const fail = (reason: string, path: string) => void faults.push({ reason, path });
  const oneOf = (column: string, values: (string | undefined)[]) =>
    void tests.push((row) => values.includes(row[column] as string));
  const hex = (kind: string, id: string, path: string) => {
    const found = new RegExp(`^${kind}_([0-9a-f]{32})$`).exec(id);
    if (!found) fail('ID_INVALID', path);
    return found?.[1];
  };
  const choice = (column: string, names: string[], field: string, reason: string) => {
    const bare = (name: string) => name.replace(/[ _]/g, '').toUpperCase();
    const values = (given[field] ?? []).map((one: string, index: number) => {
      const known = names.find((name) => bare(name) === bare(one));
      if (!known) fail(reason, `criteria.${field}[${index}]`);
      return known;
    });
    if (values.length > 0) oneOf(column, values);
  };
  const ids = (column: string, kind: string, field: string) => {
    const values = (given[field] ?? []).map((id: string, index: number) =>
      hex(kind, id, `criteria.${field}[${index}]`),
    );
    if (values.length > 0) oneOf(column, values);
  };
  const id = (column: string, kind: string, field: string) => {
    if (given[field] !== null && given[field] !== undefined)
      oneOf(column, [hex(kind, given[field], `criteria.${field}`)]);
  };
  const within = (column: string, { min, max }: NaivePeriod) =>
    void tests.push((row) => {
      const day = row[column] as string;
      return (min === null || day >= min) && (max === null || day <= max);
    });

  if (report.name === 'work_item_listing') {
    const { fixedPeriod, relativePeriod } = given.entryPeriod ?? {};
    const path = 'criteria.entryPeriod';
    within('entryDay', period(fixedPeriod, relativePeriod, null, `${path}.fixedPeriod`, path, tenant, fail));
    if (given.includeDeleted !== true) tests.push((row) => row.isDeleted === false);
    if (given.noMatter === true) tests.push((row) => row.matterId === null);
    choice('itemType', ITEM_TYPES, 'workItemTypes', 'UNKNOWN_WORK_ITEM_TYPE');
    choice('state', STATES, 'states', 'UNKNOWN_STATE');
    ids('matterId', 'matter', 'matterIds');
    ids('clientId', 'client', 'clientIds');
    ids('employeeId', 'employee', 'employeeIds');
    ids('divisionId', 'division', 'divisionIds');
  } else {
    const { period: fixed, relativePeriod, periodRelativeTo } = given;
    within(
      'day',
      period(fixed, relativePeriod, periodRelativeTo, 'criteria.period', 'criteria', tenant, fail),
    );
    id('feeEarnerId', 'employee', 'feeEarnerId');
    id('matterId', 'matter', 'matterId');
    id('clientId', 'client', 'clientId');
    id('divisionId', 'division', 'divisionId');
  }
  return { faults, holds: (row) => tests.every((test) => test(row)) };
}

function period(
  fixed: Sent,
  relative: string | null | undefined,
  relativeTo: string | null | undefined,
  fixedPath: string,
  path: string,
  tenant: NaiveTenant,
  fail: (reason: string, path: string) => void,
): NaivePeriod {
  const open = { min: null, max: null };
  const valid = (day: string | null | undefined, at: string) => {
    const wrong = day !== null && day !== undefined && !isDate(day);
    if (wrong) fail('PERIOD_INVALID', at);
    return wrong ? null : (day ?? null);
  };
  const anchor = valid(relativeTo, `${path}.periodRelativeTo`) ?? dayIn(tenant.zone, tenant.now);
  const known = typeof relative === 'string' ? naivePeriods[relative] : () => open;
  if (!known) fail('UNKNOWN_PERIOD', `${path}.relativePeriod`);
  if (fixed) {
    const [min, max] = [valid(fixed.min, `${fixedPath}.min`), valid(fixed.max, `${fixedPath}.max`)];
    if (min !== null && max !== null && min > max) fail('PERIOD_INVALID', `${fixedPath}.max`);
    return { min, max };
  }
  return known?.(new Date(`${anchor}T00:00:00Z`), tenant.financialYearStart) ?? open;
}
