import type { Area } from '../records/area';
import { feeAnalysisProjection } from './fee-analysis.projection';
import { WorkItem } from './work-item';
import { workItemHandlers } from './work-item.commands';
import { workItemsProjection } from './work-item.projection';
import { WorkItemsReadController, WorkItemsWriteController } from './work-items.controllers';

export const workItemsArea: Area = {
  definition: WorkItem,
  write: {
    controllers: [WorkItemsWriteController],
    handlers: workItemHandlers,
  },
  read: { controllers: [WorkItemsReadController] },
  projections: [workItemsProjection, feeAnalysisProjection],
};
