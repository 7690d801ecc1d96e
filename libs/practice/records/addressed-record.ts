import type { Folded } from '#event-store/events';
import { at, linksTo } from '#event-store/load';
import type { UnitOfWork } from '#event-store/unit-of-work';
import type { DomainEvent, StreamDefinition } from '#kernel/decider';
import { addressed, type RecordState } from './record';

/** Loads the record that a command is {@link addressed} to. */
export async function loadAddressed<State extends RecordState, Event extends DomainEvent>(
  work: UnitOfWork,
  definition: StreamDefinition<State, Event>,
  id: string,
): Promise<Folded<State>> {
  const { record } = await work.load({ record: at(definition, id) });
  return addressed(work, record as Folded<State> | undefined, definition.kind);
}

/**
 * Deletes the record that a command is {@link addressed} to. The append fails if another record comes to refer to it in
 * the meantime.
 * @param decide decides by the number of links that refer to the record, and by its state
 */
export async function deleteAddressed<State extends RecordState, Event extends DomainEvent>(
  work: UnitOfWork,
  definition: StreamDefinition<State, Event>,
  id: string,
  decide: (uses: number, state: State) => Event[],
): Promise<Folded<State>> {
  const { record, uses } = await work.load({ record: at(definition, id), uses: linksTo(id) });
  const before = addressed(work, record as Folded<State> | undefined, definition.kind);
  work.requireUnlinked(id);
  return work.change(definition, before, decide(uses, before.data));
}
