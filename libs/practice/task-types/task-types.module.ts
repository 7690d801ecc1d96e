import type { Area } from '../records/area';
import { TaskType } from './task-type';
import { taskTypesProjection } from './task-type.projection';
import { TaskTypesReadController, TaskTypesWriteController } from './task-types.controllers';

export const taskTypesArea: Area = {
  definition: TaskType,
  write: { controllers: [TaskTypesWriteController], handlers: [] },
  read: { controllers: [TaskTypesReadController] },
  projections: [taskTypesProjection],
};
