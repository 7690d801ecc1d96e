import type { Link } from '#kernel/decider';
import {
  type BillableDefinition,
  type BillableState,
  BillableStatus,
  isUnbilled,
  moved,
} from '../billable/billable';
import { UNBILLED_WORK, WORK } from '../matters/matter.lookup';
import { referenceKeys } from '../records/record';
import { type WorkItemEvent, type WorkItemFields, workItemEvents } from './work-item.events';

export interface WorkItemState extends BillableState, WorkItemFields {}

function linksOf(state: WorkItemState): Link[] {
  if (state.isDeleted) return [];
  const links = [{ kind: 'workitem_employee', target: state.employeeId }];
  if (state.taskTypeId) links.push({ kind: 'workitem_tasktype', target: state.taskTypeId });
  if (state.matterId)
    links.push({ kind: isUnbilled(WorkItem, state) ? UNBILLED_WORK : WORK, target: state.matterId });
  return links;
}

export const WorkItem: BillableDefinition<WorkItemState> = {
  kind: 'workitem',
  name: 'WorkItem',
  noun: 'work item',
  foldVersion: 3,
  events: workItemEvents,
  isDeleted: ({ isDeleted }) => isDeleted,
  links: linksOf,
  keys: (state) => referenceKeys('workitem', state),
  whole: ({ total, units }) => ({ amount: total, units }),
  currency: ({ rate }) => rate.currency,
  // Nobody pays for time without a matter.
  isBillable: ({ isBillable, matterId }) => isBillable && matterId !== null,
  dimensions({ isBillable, matterId, employeeId, taskTypeId, rate }) {
    return isBillable && matterId !== null
      ? { matterId, employeeId, taskTypeId, currency: rate.currency }
      : null;
  },
  evolve(state, recorded) {
    const event = recorded as WorkItemEvent;
    switch (event.type) {
      case 'WorkItemCreated': {
        const { total, units } = event.data;
        // The added fields are written out and come first: another spread of so many fields takes V8 20 times as long.
        return {
          state: BillableStatus.Pending,
          invoiceId: null,
          settlement: null,
          isDeleted: false,
          remaining: total,
          remainingUnits: units,
          ...event.data,
        };
      }
      case 'WorkItemUpdated': {
        const after = { ...state!, ...event.data };
        // Only the value of a pending item changes, and nothing of a pending item is billed or written off.
        if (event.data.total === undefined && event.data.units === undefined) return after;
        return { ...after, remaining: after.total, remainingUnits: after.units };
      }
      case 'WorkItemDeleted':
        return { ...state!, isDeleted: true };
      default:
        return moved(state!, event.type.slice('WorkItem'.length), event.data);
    }
  },
};
