import type { Kind } from '#kernel/ids';
import type { Condition } from '../condition';
import { type Given, readId, readPeriod } from '../criteria/criteria';
import type { TenantCalendar } from '../tenant-calendar';
import type { FeeAnalysisFactCriteriaInput } from './criteria.input';

/** The conditions that a fact must meet. */
export function feeAnalysisConditions(
  criteria: Given<FeeAnalysisFactCriteriaInput>,
  calendar: TenantCalendar,
): Condition[] {
  const period = readPeriod(
    criteria?.period,
    criteria?.relativePeriod,
    criteria?.periodRelativeTo,
    calendar,
    {
      fixed: 'criteria.period',
      relative: 'criteria.relativePeriod',
      relativeTo: 'criteria.periodRelativeTo',
    },
  );
  const { min = null, max = null } = period ?? {};
  return [
    ...(min ? [dayCondition('>=', min)] : []),
    ...(max ? [dayCondition('<=', max)] : []),
    ...oneId('f.employee_id', 'employee', criteria?.feeEarnerId, 'criteria.feeEarnerId'),
    ...oneId('f.matter_id', 'matter', criteria?.matterId, 'criteria.matterId'),
    ...oneId('m.client_id', 'client', criteria?.clientId, 'criteria.clientId', ['m']),
    ...oneId('m.division_id', 'division', criteria?.divisionId, 'criteria.divisionId', ['m']),
  ];
}

function dayCondition(operator: string, day: string): Condition {
  return { sql: (bind) => `f.day ${operator} ${bind(day)}::date` };
}

function oneId(
  sql: string,
  kind: Kind,
  given: Given<string>,
  path: string,
  joins: string[] = [],
): Condition[] {
  if (given === null || given === undefined) return [];
  const uuid = readId(kind, given, path);
  return [{ joins, sql: (bind) => `${sql} = ${bind(uuid)}::uuid` }];
}
