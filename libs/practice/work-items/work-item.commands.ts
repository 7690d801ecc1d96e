import { CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { EventStore, type Written } from '#event-store/event-store';
import type { RequestContext } from '#platform/request-context';
import type { WorkItemState } from './work-item';
import type { WorkItemInput, WorkItemPatch } from './work-item.input';
import { changeWorkItem, recordWorkItem } from './work-item.record';

type Done = Promise<Written<WorkItemState>>;

export class RecordWorkItem {
  constructor(
    readonly context: RequestContext,
    readonly body: WorkItemInput,
  ) {}
}

@CommandHandler(RecordWorkItem)
export class RecordWorkItemHandler implements ICommandHandler<RecordWorkItem> {
  constructor(private readonly store: EventStore) {}

  execute({ context, body }: RecordWorkItem): Done {
    return this.store.execute(context, (work) => recordWorkItem(work, body));
  }
}

export class UpdateWorkItem {
  constructor(
    readonly context: RequestContext,
    readonly id: string,
    readonly body: WorkItemPatch,
  ) {}
}

@CommandHandler(UpdateWorkItem)
export class UpdateWorkItemHandler implements ICommandHandler<UpdateWorkItem> {
  constructor(private readonly store: EventStore) {}

  execute({ context, id, body }: UpdateWorkItem): Done {
    return this.store.execute(context, (work) => changeWorkItem(work, id, body));
  }
}

export const workItemHandlers = [RecordWorkItemHandler, UpdateWorkItemHandler];
