import type { DomainEvent, StreamDefinition, Upcaster } from '#kernel/decider';
import type { DecimalText, Money } from '#kernel/money';
import type { Day } from '#kernel/zone';
import type { RateLevel } from '../applicable-rates/rate.lookup';
import type { BillableEvent } from '../billable/billable.events';
import type { RecordState } from '../records/record';

/** 0 Timed Fee, 1 Itemised Fee. The integers are fixed, since clients store them. */
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
  /** Whether the units came with the request rather than from the ticks. */
  unitsOverridden: boolean;
  minutesPerUnit: DecimalText;
  /** The rate of an hour of timed work, or of a unit of itemised work. */
  rate: Money;
  /** `Request`, or the level that supplied the rate when the item, or a field on which its rate depends, last changed. */
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

/** Older movements lack the task type. */
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
