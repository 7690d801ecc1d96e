import type { DomainEvent, StreamDefinition, Upcaster } from '#kernel/decider';
import type { DecimalText, Money } from '#kernel/money';
import type { Day } from '#kernel/zone';
import type { RateLevel } from '../applicable-rates/rate.lookup';
import type { BillableEvent } from '../billable/billable.events';
import type { RecordState } from '../records/record';

/** 0 Timed Fee, 1 Itemised Fee. The integers are fixed: clients store them. */
export const ItemType = { Timed: 0, Itemised: 1 } as const;
export type ItemType = (typeof ItemType)[keyof typeof ItemType];

export interface WorkItemFields {
  matterId: string | null;
  employeeId: string;
  taskTypeId: string | null;
  itemType: ItemType;
  /** ISO 8601 UTC. */
  entryDate: string;
  /** The day of entryDate in the tenant's zone. */
  entryDay: Day;
  durationTicks: number;
  units: DecimalText;
  /** Whether the units came with the request, instead of being derived from the ticks. */
  unitsOverridden: boolean;
  minutesPerUnit: DecimalText;
  /** The rate for an hour of timed work, or for a unit of itemised work. */
  rate: Money;
  /**
   * `Request` if the rate was given with the item; else the level that supplied it when the item, or what its rate
   * depends on, last changed.
   */
  rateSource: 'Request' | RateLevel;
  /** Rounded to the currency's minor unit. */
  total: DecimalText;
  title: string | null;
  isBillable: boolean;
}

type Reference = Pick<RecordState, 'externalReference' | 'referenceOwner'>;

export type WorkItemEvent =
  | DomainEvent<'WorkItemCreated', WorkItemFields & Reference>
  | DomainEvent<'WorkItemUpdated', Partial<WorkItemFields & Reference>>
  | DomainEvent<'WorkItemDeleted'>
  | BillableEvent<'WorkItem'>;

/** Adds the task type, which movements of earlier versions lack. */
const untyped: Upcaster = (data) => ({
  ...data,
  movement: data.movement && { ...data.movement, taskTypeId: null },
});

export const workItemEvents: StreamDefinition<object, WorkItemEvent>['events'] = {
  WorkItemCreated: [(data) => ({ ...data, taskTypeId: null })],
  WorkItemUpdated: [],
  WorkItemFinalised: [untyped],
  WorkItemUnfinalised: [untyped],
  WorkItemReserved: [],
  WorkItemReleased: [],
  WorkItemBilled: [],
  WorkItemBillingReversed: [],
  WorkItemWrittenOff: [untyped],
  WorkItemReinstated: [untyped],
  WorkItemDeleted: [],
};
