import type { Kind } from './ids';

/** Something that happened. Data is plain JSON: decimals as text, instants as ISO 8601 UTC. */
export interface DomainEvent<Type extends string = string, Data extends object = object> {
  type: Type;
  data: Data;
}

/** A reference to another stream that holds while the state says so. */
export interface Link {
  kind: string;
  target: string;
}

/** A value that at most one stream of the tenant may hold. */
export interface NaturalKey {
  kind: string;
  key: string;
}

/** Brings stored data of schema version n to n + 1. */
// biome-ignore lint/suspicious/noExplicitAny: an old shape has no type any more
export type Upcaster = (data: any) => object;

/** Fields, in events and in the state, that are encrypted with the stream's own key. */
export interface PersonalFields<State> {
  fields: readonly (keyof State & string)[];
  /** What the fields read as once the key is destroyed. */
  erased(id: string): Partial<State>;
  /** Type of the event that erases them: the key goes in the transaction that appends it. */
  erasure?: string;
}

/** Everything that the store must know of a kind of stream. Pure. */
export interface StreamDefinition<State extends object, Event extends DomainEvent> {
  kind: Kind;
  /** Raised whenever evolve changes what it makes of the same events; stored states of another version are refolded. */
  foldVersion: number;
  evolve(state: State | undefined, event: Event): State;
  isDeleted(state: State): boolean;
  links(state: State): Link[];
  keys(state: State): NaturalKey[];
  personal?: PersonalFields<State>;
  /** Upcasters by event type; the current schema version is their number plus one. */
  events: Record<Event['type'], readonly Upcaster[]>;
}
