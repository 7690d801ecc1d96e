import { ChangeCommand, CreateCommand, handlerOf } from '../records/command';
import type { WorkItemInput, WorkItemPatch } from './work-item.input';
import { changeWorkItem, recordWorkItem } from './work-item.record';

export class RecordWorkItem extends CreateCommand<WorkItemInput> {}

export const RecordWorkItemHandler = handlerOf(RecordWorkItem, (work, { body }) =>
  recordWorkItem(work, body),
);

export class UpdateWorkItem extends ChangeCommand<WorkItemPatch> {}

export const UpdateWorkItemHandler = handlerOf(UpdateWorkItem, (work, { id, body }) =>
  changeWorkItem(work, id, body),
);

export const workItemHandlers = [RecordWorkItemHandler, UpdateWorkItemHandler];
