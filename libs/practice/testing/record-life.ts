import type { EventStore } from '#event-store/event-store';
import type { RequestContext } from '#platform/request-context';
import {
  ActivateRecord,
  ActivateRecordHandler,
  CreateRecord,
  CreateRecordHandler,
  DeactivateRecord,
  DeactivateRecordHandler,
  DeleteRecord,
  DeleteRecordHandler,
  UpdateRecord,
  UpdateRecordHandler,
} from '../records/records.commands';
import type { AnyWriting } from '../records/write-record';

/**
 * All that can happen to a simple record: every type of event, with all that it can hold and with as little as it can.
 * @param least a body of what is required
 * @param full one with every field; `changes` with every field that can change, each to another value
 * @returns the id of the record that is left, with the fields of `full`
 */
export async function liveRecord(
  store: EventStore,
  context: RequestContext,
  writing: AnyWriting,
  { least, full, changes }: { least: object; full: object; changes: object },
): Promise<string> {
  const create = async (body: object) =>
    (await new CreateRecordHandler(store).execute(new CreateRecord(context, writing, body))).record.id;
  const { kind, events, name } = writing.definition;
  const bare = await create(least);
  await new UpdateRecordHandler(store).execute(
    new UpdateRecord(context, writing, bare, { ...changes, externalReference: `${kind} 2` }),
  );
  if (`${name}Activated` in events) {
    await new DeactivateRecordHandler(store).execute(new DeactivateRecord(context, writing, bare));
    await new ActivateRecordHandler(store).execute(new ActivateRecord(context, writing, bare));
  }
  await new DeleteRecordHandler(store).execute(new DeleteRecord(context, writing, bare));
  return create({ ...full, externalReference: `${kind} 1` });
}
