import type { UnitOfWork } from '#event-store/unit-of-work';
import { newId } from '#kernel/ids';
import { givenReference } from '../records/record';
import { NEW_TASK_TYPE, TaskType, type TaskTypeState } from './task-type';
import type { PublishedTask } from './utbms';

export { utbms } from './utbms';
export { TaskType, type TaskTypeState };

/** Creates the task types of a published code set, such as `utbms`, for a new tenant. */
export function createTaskTypes(work: UnitOfWork, types: readonly PublishedTask[]): void {
  for (const type of types) {
    const data = { ...NEW_TASK_TYPE, ...type, ...givenReference(work.context, null) };
    work.create(TaskType, newId('tasktype'), [{ type: 'TaskTypeCreated', data }]);
  }
}
