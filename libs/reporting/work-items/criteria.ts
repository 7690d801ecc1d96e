import { endOfDay, type Period, startOfDay } from '#kernel/periods';
import type { Condition } from '../condition';
import { choiceCondition, type Given, idCondition, readPeriod } from '../criteria/criteria';
import type { TenantCalendar } from '../tenant-calendar';
import { workItemStates, workItemTypes } from './columns';
import type { WorkItemCriteriaInput } from './criteria.input';

/** The conditions that a work item must meet. */
export function workItemConditions(
  criteria: Given<WorkItemCriteriaInput>,
  calendar: TenantCalendar,
): Condition[] {
  const period = readPeriod(
    criteria?.entryPeriod?.fixedPeriod,
    criteria?.entryPeriod?.relativePeriod,
    null,
    calendar,
    {
      fixed: 'criteria.entryPeriod.fixedPeriod',
      relative: 'criteria.entryPeriod.relativePeriod',
      relativeTo: 'criteria.entryPeriod',
    },
  );
  return [
    ...(criteria?.includeDeleted ? [] : [{ sql: () => 'not w.is_deleted' }]),
    ...(criteria?.noMatter ? [{ sql: () => 'w.matter_id is null' }] : []),
    ...entryDateConditions(period, calendar.zone),
    ...choiceCondition(
      'w.item_type',
      workItemTypes,
      criteria?.workItemTypes,
      'criteria.workItemTypes',
      'UNKNOWN_WORK_ITEM_TYPE',
    ),
    ...choiceCondition('w.item_state', workItemStates, criteria?.states, 'criteria.states', 'UNKNOWN_STATE'),
    ...idCondition('w.matter_id', 'matter', criteria?.matterIds, 'criteria.matterIds'),
    ...idCondition('m.client_id', 'client', criteria?.clientIds, 'criteria.clientIds', ['m']),
    ...idCondition('w.employee_id', 'employee', criteria?.employeeIds, 'criteria.employeeIds'),
    ...idCondition('m.division_id', 'division', criteria?.divisionIds, 'criteria.divisionIds', ['m']),
  ];
}

/** On the instant, which is indexed, rather than on the day. Seconds since 1970, which can tell any year. */
function entryDateConditions(period: Period | undefined, zone: string): Condition[] {
  const seconds = (instant: Date) => instant.getTime() / 1000;
  const { min = null, max = null } = period ?? {};
  return [
    ...(min ? [instantCondition('>=', seconds(startOfDay(zone, min)))] : []),
    ...(max ? [instantCondition('<', seconds(endOfDay(zone, max)))] : []),
  ];
}

function instantCondition(operator: string, seconds: number): Condition {
  return { sql: (bind) => `w.entry_date ${operator} to_timestamp(${bind(seconds)})` };
}
