import { CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { EventStore, type Written } from '#event-store/event-store';
import { at, via } from '#event-store/load';
import type { UnitOfWork } from '#event-store/unit-of-work';
import { decimal, text } from '#kernel/money';
import { type Day, dayGiven, dayIn } from '#kernel/zone';
import type { RequestContext } from '#platform/request-context';
import { Matter, requireOpen } from '../matters/matter.lookup';
import { existing } from '../records/record';
import { settings, settingsOf } from '../tenants/tenant.lookup';
import {
  deleteWorkItem,
  finaliseWorkItem,
  reinstateWorkItem,
  unfinaliseWorkItem,
  WorkItem,
  type WorkItemState,
} from './work-item';
import type { WorkItemInput, WorkItemPatch, WriteOffInput } from './work-item.input';
import { changeWorkItem, recordWorkItem } from './work-item.record';
import { writeOffWorkItem } from './work-item.write-off';

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
    return this.store.execute(context, (work) => recordWorkItem(work, body), { status: 201 });
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

export class FinaliseWorkItem {
  constructor(
    readonly context: RequestContext,
    readonly id: string,
  ) {}
}

@CommandHandler(FinaliseWorkItem)
export class FinaliseWorkItemHandler implements ICommandHandler<FinaliseWorkItem> {
  constructor(private readonly store: EventStore) {}

  execute({ context, id }: FinaliseWorkItem): Done {
    return this.store.execute(context, async (work) => {
      const { item, matter } = await itemOnMatter(work, id);
      const events = finaliseWorkItem(item.data);
      if (events.length > 0) requireOpen(matter);
      return work.change(WorkItem, item, events);
    });
  }
}

export class UnfinaliseWorkItem {
  constructor(
    readonly context: RequestContext,
    readonly id: string,
  ) {}
}

@CommandHandler(UnfinaliseWorkItem)
export class UnfinaliseWorkItemHandler implements ICommandHandler<UnfinaliseWorkItem> {
  constructor(private readonly store: EventStore) {}

  execute({ context, id }: UnfinaliseWorkItem): Done {
    return this.store.execute(context, async (work) => {
      const item = await present(work, id);
      return work.change(WorkItem, item, unfinaliseWorkItem(item.data));
    });
  }
}

export class WriteOffWorkItem {
  constructor(
    readonly context: RequestContext,
    readonly id: string,
    readonly body: WriteOffInput,
  ) {}
}

@CommandHandler(WriteOffWorkItem)
export class WriteOffWorkItemHandler implements ICommandHandler<WriteOffWorkItem> {
  constructor(private readonly store: EventStore) {}

  execute({ context, id, body }: WriteOffWorkItem): Done {
    return this.store.execute(context, async (work) => {
      const { item, tenant } = await work.load({ item: at(WorkItem, id), tenant: settingsOf(context) });
      const before = existing(item, 'workitem');
      const day = dayOf(body.writeOffDate, settings(tenant).timeZone, work.now);
      const request = { day, reason: body.reason, units: exact(body.units), amount: exact(body.amount) };
      return work.change(WorkItem, before, writeOffWorkItem(before.data, request));
    });
  }
}

export class ReinstateWorkItem {
  constructor(
    readonly context: RequestContext,
    readonly id: string,
  ) {}
}

@CommandHandler(ReinstateWorkItem)
export class ReinstateWorkItemHandler implements ICommandHandler<ReinstateWorkItem> {
  constructor(private readonly store: EventStore) {}

  execute({ context, id }: ReinstateWorkItem): Done {
    return this.store.execute(context, async (work) => {
      const { item, matter, tenant } = await itemOnMatter(work, id);
      const events = reinstateWorkItem(item.data, dayIn(tenant.timeZone, work.now));
      requireOpen(matter);
      return work.change(WorkItem, item, events);
    });
  }
}

export class DeleteWorkItem {
  constructor(
    readonly context: RequestContext,
    readonly id: string,
  ) {}
}

@CommandHandler(DeleteWorkItem)
export class DeleteWorkItemHandler implements ICommandHandler<DeleteWorkItem> {
  constructor(private readonly store: EventStore) {}

  execute({ context, id }: DeleteWorkItem): Done {
    return this.store.execute(context, async (work) => {
      const item = await present(work, id);
      return work.change(WorkItem, item, deleteWorkItem(item.data));
    });
  }
}

async function present(work: UnitOfWork, id: string) {
  return existing((await work.load({ item: at(WorkItem, id) })).item, 'workitem');
}

/** An item with its matter, whose state decides what may come back to it. */
async function itemOnMatter(work: UnitOfWork, id: string) {
  const found = await work.load({
    item: at(WorkItem, id),
    matter: via(Matter, id, 'matterId'),
    tenant: settingsOf(work.context),
  });
  return { item: existing(found.item, 'workitem'), matter: found.matter, tenant: settings(found.tenant) };
}

function dayOf(given: string | null | undefined, zone: string, now: Date): Day {
  return given ? dayGiven(zone, given) : dayIn(zone, now);
}

function exact(value: number | null | undefined): string | null {
  return value === null || value === undefined ? null : text(decimal(value));
}

export const workItemHandlers = [
  RecordWorkItemHandler,
  UpdateWorkItemHandler,
  FinaliseWorkItemHandler,
  UnfinaliseWorkItemHandler,
  WriteOffWorkItemHandler,
  ReinstateWorkItemHandler,
  DeleteWorkItemHandler,
];
