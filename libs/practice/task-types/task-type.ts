import { type SwitchedState, simpleRecord } from '../records/simple-record';
import { type TaskTypeFields, taskTypeEvents } from './task-type.events';

export interface TaskTypeState extends SwitchedState, TaskTypeFields {}

/** The default values of a new type's fields. */
export const NEW_TASK_TYPE: TaskTypeFields = {
  code: '',
  name: '',
  itemType: null,
  phaseCode: null,
  taskCode: null,
  activityCode: null,
  narration: null,
  isBillable: true,
  rate: null,
};

export const TaskType = simpleRecord<TaskTypeState>({
  kind: 'tasktype',
  name: 'TaskType',
  events: taskTypeEvents,
  keys: ({ code }) => [{ kind: 'task_type_code', key: code }],
});
