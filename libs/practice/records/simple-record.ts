import type { DomainEvent, Link, NaturalKey, StreamDefinition, Upcaster } from '#kernel/decider';
import type { Kind } from '#kernel/ids';
import { Activity } from './activity';
import { type RecordState, referenceKeys, refuseInUse } from './record';

type Reference = Pick<RecordState, 'externalReference' | 'referenceOwner'>;

/** The events of a record that consists only of its fields. */
export type SimpleEvent<Name extends string, Fields extends object> =
  | DomainEvent<`${Name}Created`, Fields & Reference>
  | DomainEvent<`${Name}Updated`, Partial<Fields & Reference>>
  | DomainEvent<`${Name}Deleted`>;

/** The events of such a record when it can also be deactivated. */
export type SwitchedEvent<Name extends string, Fields extends object> =
  | SimpleEvent<Name, Fields>
  | DomainEvent<`${Name}Activated`>
  | DomainEvent<`${Name}Deactivated`>;

/** The state of a record that can be deactivated. */
export interface SwitchedState extends RecordState {
  state: Activity;
}

/** The definition of a record whose events only set its fields, switch its activity, and delete it. */
export interface SimpleDefinition<State extends RecordState> extends StreamDefinition<State, DomainEvent> {
  /** The prefix of its event types, such as `TaskType`. */
  name: string;
}

/**
 * Defines a simple record.
 * @param events the events of SimpleEvent or SwitchedEvent
 * @param links its references, and `keys` its natural keys, while it is not deleted
 */
export function simpleRecord<State extends RecordState>({
  kind,
  name,
  events,
  links = () => [],
  keys = () => [],
}: {
  kind: Kind;
  name: string;
  events: Record<string, readonly Upcaster[]>;
  links?(state: State): Link[];
  keys?(state: State): NaturalKey[];
}): SimpleDefinition<State> {
  const first = `${name}Activated` in events ? { state: Activity.Active } : {};
  return {
    kind,
    name,
    foldVersion: 1,
    events,
    isDeleted: ({ isDeleted }) => isDeleted,
    links: (state) => (state.isDeleted ? [] : links(state)),
    keys: (state) => (state.isDeleted ? [] : [...referenceKeys(kind, state), ...keys(state)]),
    evolve(state, { type, data }) {
      switch (type) {
        case `${name}Created`:
          return { ...first, isDeleted: false, ...data } as unknown as State;
        case `${name}Updated`:
          return { ...state!, ...data };
        case `${name}Activated`:
          return { ...state!, state: Activity.Active };
        case `${name}Deactivated`:
          return { ...state!, state: Activity.Inactive };
        case `${name}Deleted`:
          return { ...state!, isDeleted: true };
      }
      throw new Error(`${type} is no event of ${kind}`);
    },
  };
}

/** Updates a simple record. @param changes the fields that differ from the current state */
export function update({ name }: { name: string }, changes: object): DomainEvent[] {
  return Object.keys(changes).length === 0 ? [] : [{ type: `${name}Updated`, data: changes }];
}

export function activate({ name }: { name: string }, { state }: SwitchedState): DomainEvent[] {
  return state === Activity.Active ? [] : [{ type: `${name}Activated`, data: {} }];
}

export function deactivate({ name }: { name: string }, { state }: SwitchedState): DomainEvent[] {
  return state === Activity.Inactive ? [] : [{ type: `${name}Deactivated`, data: {} }];
}

/** Deletes a simple record. @param uses the number of links that refer to the record */
export function remove({ name, kind }: { name: string; kind: Kind }, uses: number): DomainEvent[] {
  refuseInUse(kind, uses);
  return [{ type: `${name}Deleted`, data: {} }];
}
