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
 * Causes every type of event of a simple record, with as much data as it can hold and with as little.
 * @param least a body with only the required fields
 * @param full a body with every field; `changes` has every field that can change, each with another value
 * @returns the id of the record that remains, with the fields of `full`
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
