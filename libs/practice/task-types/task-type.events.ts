import type { Money } from '#kernel/money';
import type { SwitchedEvent } from '../records/simple-record';

export interface TaskTypeFields {
  code: string;
  name: string;
  /** Type of the work items that it suits: 0 Timed Fee, 1 Itemised Fee; null: both. */
  itemType: 0 | 1 | null;
  /** Codes of a published set, UTBMS or EW-J, by which bills are analysed. */
  phaseCode: string | null;
  taskCode: string | null;
  activityCode: string | null;
  /** What a work item of the type is called when nobody says otherwise. */
  narration: string | null;
  isBillable: boolean;
  /** For an hour of timed work, for a unit of itemised work; in the tenant's base currency. */
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
