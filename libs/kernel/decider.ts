import type { Kind } from './ids';

/** Something that happened. Data is plain JSON: decimals as text, instants as ISO 8601 UTC. */
export interface DomainEvent<Type extends string = string, Data extends object = object> {
  type: Type;
  data: Data;
}

/** A reference from a stream to another, which exists as long as the stream's state has it. */
export interface Link {
  kind: string;
  target: string;
}

/** A value that at most one stream of the tenant may hold. */
export interface NaturalKey {
  kind: string;
  key: string;
}

/** Upgrades stored data from schema version n to n + 1. */
// biome-ignore lint/suspicious/noExplicitAny: an old shape has no type any more
export type Upcaster = (data: any) => object;

/** The fields of events and state that are encrypted with the stream's own key. */
export interface PersonalFields<State> {
  fields: readonly (keyof State & string)[];
  /** The values of the fields once the key is destroyed. */
  erased(id: string): Partial<State>;
  /** Type of the event that erases the fields: the transaction that appends it destroys the key. */
  erasure?: string;
}

/** Everything that the store must know about a kind of stream. All its functions are pure. */
export interface StreamDefinition<State extends object, Event extends DomainEvent> {
  kind: Kind;
  /** Must be raised whenever evolve folds the same events into another state; stored states of other versions are refolded. */
  foldVersion: number;
  evolve(state: State | undefined, event: Event): State;
  isDeleted(state: State): boolean;
  links(state: State): Link[];
  keys(state: State): NaturalKey[];
  personal?: PersonalFields<State>;
  /** Upcasters by event type; the current schema version is their number plus one. */
  events: Record<Event['type'], readonly Upcaster[]>;
}
