import { column, stateTable } from '../records/state-table';
import { TaskType, type TaskTypeState } from './task-type';

export const taskTypesProjection = stateTable(TaskType, {
  name: 'task-types',
  version: 1,
  columns: {
    code: column<TaskTypeState>('text', ({ code }) => code),
    name: column<TaskTypeState>('text', ({ name }) => name),
    activity: column<TaskTypeState>('smallint', ({ state }) => state),
    item_type: column<TaskTypeState>('smallint', ({ itemType }) => itemType),
    phase_code: column<TaskTypeState>('text', ({ phaseCode }) => phaseCode),
  },
  words: ({ code, name }) => [code, name],
});
