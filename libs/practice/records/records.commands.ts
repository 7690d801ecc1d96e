import type { RequestContext } from '#platform/request-context';
import { deleteAddressed, loadAddressed } from './addressed-record';
import { handlerOf } from './command';
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

class SimpleCommand {
  constructor(
    readonly context: RequestContext,
    readonly writing: AnyWriting,
    readonly id: string,
  ) {}
}

export class ActivateRecord extends SimpleCommand {}

export class DeactivateRecord extends SimpleCommand {}

export class DeleteRecord extends SimpleCommand {}

export const CreateRecordHandler = handlerOf(CreateRecord, (work, { writing, body }) =>
  createRecord(work, writing, body),
);

export const UpdateRecordHandler = handlerOf(UpdateRecord, (work, { writing, id, body }) =>
  updateRecord(work, writing, id, body),
);

export const ActivateRecordHandler = handlerOf(ActivateRecord, async (work, { writing, id }) => {
  const { definition } = writing;
  const before = await loadAddressed(work, definition, id);
  const events = activate(definition, before.data);
  if (events.length > 0) await writing.checkActivation?.(work, id);
  return work.change(definition, before, events);
});

export const DeactivateRecordHandler = handlerOf(
  DeactivateRecord,
  async (work, { writing: { definition }, id }) => {
    const before = await loadAddressed(work, definition, id);
    return work.change(definition, before, deactivate(definition, before.data));
  },
);

export const DeleteRecordHandler = handlerOf(DeleteRecord, (work, { writing: { definition }, id }) =>
  deleteAddressed(work, definition, id, (uses) => remove(definition, uses)),
);

export const recordCommandHandlers = [
  CreateRecordHandler,
  UpdateRecordHandler,
  ActivateRecordHandler,
  DeactivateRecordHandler,
  DeleteRecordHandler,
];
