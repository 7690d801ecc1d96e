import type { Kind } from '#kernel/ids';
import type { Condition, Restrictions } from '../condition';
import { type Given, readId, readPeriod } from '../criteria/criteria';
import type { TenantCalendar } from '../tenant-calendar';
import type { FeeAnalysisFactCriteriaInput } from './criteria.input';

/** The conditions that a fact must meet. */
export function feeAnalysisConditions(
  criteria: Given<FeeAnalysisFactCriteriaInput>,
  calendar: TenantCalendar,
): Restrictions {
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
  const conditions = [
    ...oneId('f.employee_id', 'employee_id', 'employee', criteria?.feeEarnerId, 'criteria.feeEarnerId'),
    ...oneId('f.matter_id', 'matter_id', 'matter', criteria?.matterId, 'criteria.matterId'),
    ...oneId('m.client_id', 'matter_id', 'client', criteria?.clientId, 'criteria.clientId', ['m']),
    ...oneId('m.division_id', 'matter_id', 'division', criteria?.divisionId, 'criteria.divisionId', ['m']),
  ];
  return { period, conditions };
}

function oneId(
  sql: string,
  of: string,
  kind: Kind,
  given: Given<string>,
  path: string,
  joins: string[] = [],
): Condition[] {
  if (given === null || given === undefined) return [];
  const uuid = readId(kind, given, path);
  return [{ of, joins, isSelective: kind !== 'division', sql: (bind) => `${sql} = ${bind(uuid)}::uuid` }];
}
