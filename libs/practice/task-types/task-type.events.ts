import type { Money } from '#kernel/money';
import type { SwitchedEvent } from '../records/simple-record';

export interface TaskTypeFields {
  code: string;
  name: string;
  /** Type of the work items for which it may be used: 0 Timed Fee, 1 Itemised Fee; null: both. */
  itemType: 0 | 1 | null;
  /** Codes of a published set, UTBMS or EW-J, by which bills are analysed. */
  phaseCode: string | null;
  taskCode: string | null;
  activityCode: string | null;
  /** The default title of work items of this type. */
  narration: string | null;
  isBillable: boolean;
  /** The rate of an hour of timed work, or of a unit of itemised work, in the tenant's base currency. */
  rate: Money | null;
}

export type TaskTypeEvent = SwitchedEvent<'TaskType', TaskTypeFields>;

export const taskTypeEvents = {
  TaskTypeCreated: [],
  TaskTypeUpdated: [],
  TaskTypeActivated: [],
  TaskTypeDeactivated: [],
  TaskTypeDeleted: [],
} satisfies Record<TaskTypeEvent['type'], []>;
