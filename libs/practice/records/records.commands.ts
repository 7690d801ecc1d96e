import { CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { EventStore, type Written } from '#event-store/event-store';
import type { RequestContext } from '#platform/request-context';
import { deleteAddressed, loadAddressed } from './addressed-record';
import { activate, deactivate, remove } from './simple-record';
import { type AnyWriting, createRecord, updateRecord } from './write-record';

export class CreateRecord {
  constructor(
    readonly context: RequestContext,
    readonly writing: AnyWriting,
    readonly body: object,
  ) {}
}

export class UpdateRecord {
  constructor(
    readonly context: RequestContext,
    readonly writing: AnyWriting,
    readonly id: string,
    readonly body: object,
  ) {}
}

export class ActivateRecord {
  constructor(
    readonly context: RequestContext,
    readonly writing: AnyWriting,
    readonly id: string,
  ) {}
}

export class DeactivateRecord {
  constructor(
    readonly context: RequestContext,
    readonly writing: AnyWriting,
    readonly id: string,
  ) {}
}

export class DeleteRecord {
  constructor(
    readonly context: RequestContext,
    readonly writing: AnyWriting,
    readonly id: string,
  ) {}
}

@CommandHandler(CreateRecord)
export class CreateRecordHandler implements ICommandHandler<CreateRecord> {
  constructor(private readonly store: EventStore) {}

  execute({ context, writing, body }: CreateRecord): Promise<Written> {
    return this.store.execute(context, (work) => createRecord(work, writing, body));
  }
}

@CommandHandler(UpdateRecord)
export class UpdateRecordHandler implements ICommandHandler<UpdateRecord> {
  constructor(private readonly store: EventStore) {}

  execute({ context, writing, id, body }: UpdateRecord): Promise<Written> {
    return this.store.execute(context, (work) => updateRecord(work, writing, id, body));
  }
}

@CommandHandler(ActivateRecord)
export class ActivateRecordHandler implements ICommandHandler<ActivateRecord> {
  constructor(private readonly store: EventStore) {}

  execute({ context, writing, id }: ActivateRecord): Promise<Written> {
    const { definition } = writing;
    return this.store.execute(context, async (work) => {
      const before = await loadAddressed(work, definition, id);
      const events = activate(definition, before.data);
      if (events.length > 0) await writing.checkActivation?.(work, id);
      return work.change(definition, before, events);
    });
  }
}

@CommandHandler(DeactivateRecord)
export class DeactivateRecordHandler implements ICommandHandler<DeactivateRecord> {
  constructor(private readonly store: EventStore) {}

  execute({ context, writing: { definition }, id }: DeactivateRecord): Promise<Written> {
    return this.store.execute(context, async (work) => {
      const before = await loadAddressed(work, definition, id);
      return work.change(definition, before, deactivate(definition, before.data));
    });
  }
}

@CommandHandler(DeleteRecord)
export class DeleteRecordHandler implements ICommandHandler<DeleteRecord> {
  constructor(private readonly store: EventStore) {}

  execute({ context, writing: { definition }, id }: DeleteRecord): Promise<Written> {
    return this.store.execute(context, (work) =>
      deleteAddressed(work, definition, id, (uses) => remove(definition, uses)),
    );
  }
}

export const recordCommandHandlers = [
  CreateRecordHandler,
  UpdateRecordHandler,
  ActivateRecordHandler,
  DeactivateRecordHandler,
  DeleteRecordHandler,
];
