import type { Restrictions } from '../condition';
import { choiceCondition, type Given, idCondition, readPeriod } from '../criteria/criteria';
import type { TenantCalendar } from '../tenant-calendar';
import { workItemStates, workItemTypes } from './columns';
import type { WorkItemCriteriaInput } from './criteria.input';

/** The conditions that a work item must meet. */
export function workItemConditions(
  criteria: Given<WorkItemCriteriaInput>,
  calendar: TenantCalendar,
): Restrictions {
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
  const conditions = [
    ...(criteria?.includeDeleted
      ? []
      : [{ of: 'is_deleted', isCounted: true, sql: () => 'not w.is_deleted' }]),
    ...(criteria?.noMatter ? [{ of: 'matter_id', sql: () => 'w.matter_id is null' }] : []),
    ...choiceCondition(
      'w.item_type',
      'item_type',
      workItemTypes,
      criteria?.workItemTypes,
      'criteria.workItemTypes',
      'UNKNOWN_WORK_ITEM_TYPE',
    ),
    ...choiceCondition(
      'w.item_state',
      'item_state',
      workItemStates,
      criteria?.states,
      'criteria.states',
      'UNKNOWN_STATE',
    ),
    ...idCondition('w.matter_id', 'matter_id', 'matter', criteria?.matterIds, 'criteria.matterIds'),
    ...idCondition('m.client_id', 'matter_id', 'client', criteria?.clientIds, 'criteria.clientIds', ['m']),
    ...idCondition('w.employee_id', 'employee_id', 'employee', criteria?.employeeIds, 'criteria.employeeIds'),
    ...idCondition('m.division_id', 'matter_id', 'division', criteria?.divisionIds, 'criteria.divisionIds', [
      'm',
    ]),
  ];
  return { period, conditions };
}
