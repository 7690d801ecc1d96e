import type { Link, StreamDefinition } from '#kernel/decider';
import { conflict } from '#kernel/errors';
import { type DecimalText, decimal, text } from '#kernel/money';
import type { Day } from '#kernel/zone';
import { UNBILLED_WORK, WORK } from '../matters/matter.lookup';
import { type RecordState, referenceKeys } from '../records/record';
import { type Movement, type WorkItemEvent, type WorkItemFields, workItemEvents } from './work-item.events';

/** The integers are fixed: clients store them. */
export const WorkItemStatus = { Pending: 0, Finalised: 1, Billed: 2, WrittenOff: 3 } as const;
export type WorkItemStatus = (typeof WorkItemStatus)[keyof typeof WorkItemStatus];

export interface WorkItemState extends RecordState, WorkItemFields {
  state: WorkItemStatus;
  /** What can still be billed. */
  remaining: DecimalText;
  remainingUnits: DecimalText;
  invoiceId: string | null;
}

/** Billable work on a matter that is neither billed nor written off. */
export function isUnbilled(state: WorkItemState): boolean {
  const open = state.state === WorkItemStatus.Pending || state.state === WorkItemStatus.Finalised;
  return state.isBillable && open && !decimal(state.remaining).isZero();
}

function linksOf(state: WorkItemState): Link[] {
  if (state.isDeleted) return [];
  const links = [{ kind: 'workitem_employee', target: state.employeeId }];
  if (state.taskTypeId) links.push({ kind: 'workitem_tasktype', target: state.taskTypeId });
  if (state.matterId) links.push({ kind: isUnbilled(state) ? UNBILLED_WORK : WORK, target: state.matterId });
  return links;
}

export const WorkItem: StreamDefinition<WorkItemState, WorkItemEvent> = {
  kind: 'workitem',
  foldVersion: 2,
  events: workItemEvents,
  isDeleted: ({ isDeleted }) => isDeleted,
  links: linksOf,
  keys: (state) => referenceKeys('workitem', state),
  evolve(state, event) {
    if (event.type === 'WorkItemCreated') {
      const { total, units } = event.data;
      const whole = { remaining: total, remainingUnits: units };
      // What is added comes first: copied the other way round, so many fields become a dictionary, ten times as slow.
      return { state: WorkItemStatus.Pending, invoiceId: null, isDeleted: false, ...whole, ...event.data };
    }
    const before = state as WorkItemState;
    switch (event.type) {
      case 'WorkItemUpdated': {
        const after = { ...before, ...event.data };
        // Only a pending item's value changes, and nothing of it is billed or written off.
        if (event.data.total === undefined && event.data.units === undefined) return after;
        return { ...after, remaining: after.total, remainingUnits: after.units };
      }
      case 'WorkItemFinalised':
        return { ...before, state: WorkItemStatus.Finalised };
      case 'WorkItemUnfinalised':
        return { ...before, state: WorkItemStatus.Pending };
      case 'WorkItemWrittenOff': {
        const remaining = decimal(before.remaining).sub(event.data.amount);
        const remainingUnits = decimal(before.remainingUnits).sub(event.data.units);
        const done = remaining.isZero() && remainingUnits.isZero();
        const left = { remaining: text(remaining), remainingUnits: text(remainingUnits) };
        return { ...before, ...left, state: done ? WorkItemStatus.WrittenOff : before.state };
      }
      case 'WorkItemReinstated':
        return {
          ...before,
          state: WorkItemStatus.Finalised,
          remaining: text(decimal(before.remaining).add(event.data.amount)),
          remainingUnits: text(decimal(before.remainingUnits).add(event.data.units)),
        };
      case 'WorkItemDeleted':
        return { ...before, isDeleted: true };
    }
  },
};

/** What fee analysis is told: it covers billable items on matters. */
export function movementOf(
  state: Pick<WorkItemFields, 'isBillable' | 'matterId' | 'employeeId' | 'rate'>,
  day: Day,
  amount: DecimalText,
  units: DecimalText,
): Movement | null {
  if (!state.isBillable || state.matterId === null) return null;
  const { matterId, employeeId } = state;
  return { matterId, employeeId, currency: state.rate.currency, day, amount, units };
}

export function finaliseWorkItem(state: WorkItemState): WorkItemEvent[] {
  if (state.state === WorkItemStatus.Finalised) return [];
  if (state.state !== WorkItemStatus.Pending)
    throw conflict('not_pending', `The work item is ${nameOf(state)}.`);
  return [finalised(state)];
}

/** The event by which an item becomes Finalised, counted on its entry date. */
export function finalised(state: Pick<WorkItemState, keyof WorkItemFields>): WorkItemEvent {
  return {
    type: 'WorkItemFinalised',
    data: { movement: movementOf(state, state.entryDay, state.total, state.units) },
  };
}

export function unfinaliseWorkItem(state: WorkItemState): WorkItemEvent[] {
  if (state.state === WorkItemStatus.Pending) return [];
  if (state.state !== WorkItemStatus.Finalised)
    throw conflict('not_finalised', `The work item is ${nameOf(state)}.`);
  if (isPartlyWrittenOff(state))
    throw conflict('partly_written_off', 'Reinstate what was written off first.');
  const movement = movementOf(state, state.entryDay, state.total, state.units);
  return [{ type: 'WorkItemUnfinalised', data: { movement } }];
}

export function reinstateWorkItem(state: WorkItemState, today: Day): WorkItemEvent[] {
  const amount = text(decimal(state.total).sub(state.remaining));
  const units = text(decimal(state.units).sub(state.remainingUnits));
  const partly = state.state === WorkItemStatus.Finalised && isPartlyWrittenOff(state);
  if (state.state !== WorkItemStatus.WrittenOff && !partly) {
    throw conflict('not_written_off', 'Nothing of the work item was written off.');
  }
  return [
    {
      type: 'WorkItemReinstated',
      data: { day: today, amount, units, movement: movementOf(state, today, amount, units) },
    },
  ];
}

export function deleteWorkItem(state: WorkItemState): WorkItemEvent[] {
  requirePending(state);
  return [{ type: 'WorkItemDeleted', data: {} }];
}

/** @throws DomainError `finalised` (409) */
export function requirePending(state: WorkItemState): void {
  if (state.state !== WorkItemStatus.Pending)
    throw conflict('finalised', `The work item is ${nameOf(state)}.`);
}

function isPartlyWrittenOff(state: WorkItemState): boolean {
  return state.remaining !== state.total || state.remainingUnits !== state.units;
}

const stateNames = ['Pending', 'Finalised', 'Billed', 'WrittenOff'];

export function workItemStatusView(state: WorkItemStatus): { state: number; stateName: string } {
  return { state, stateName: stateNames[state] };
}

function nameOf({ state }: WorkItemState): string {
  return ['pending', 'finalised', 'billed', 'written off'][state];
}
