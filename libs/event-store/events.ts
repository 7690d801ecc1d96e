import type { DomainEvent, StreamDefinition } from '#kernel/decider';
import { type Id, toId } from '#kernel/ids';
import type { Position } from './position';

/** Who caused an event, and from where, in addition to the event's own data. */
export interface EventMetadata {
  actor: string;
  integrationId?: string;
  correlationId: string;
  /** `rest`, `cli`, `import`, `demo`. */
  source: string;
  /** W3C trace context of the append, if it was traced. */
  traceparent?: string;
}

/**
 * How many events of one stream are in memory at once. An invoice that is changed again and again, each time with a
 * thousand long lines, has 300 MB of events after some hundred changes.
 */
export const EVENTS_AT_ONCE = 32;

/** An event of the store, upcast and with readable personal fields. */
export interface RecordedEvent<Event extends DomainEvent = DomainEvent> {
  tenantId: number;
  /** UUID with dashes. */
  streamId: string;
  version: number;
  eventId: string;
  event: Event;
  metadata: EventMetadata;
  recordedAt: Date;
  partition: number;
  at: Position;
}

export interface Audit {
  createdOn: string;
  createdBy: string;
  updatedOn: string;
  updatedBy: string;
}

/** The state of a stream at a version, folded from its events. */
export interface Folded<State extends object = object> {
  id: Id;
  version: number;
  audit: Audit;
  data: State;
  /** The wrapped key of the stream's personal fields. */
  wrapped?: Buffer;
}

// biome-ignore lint/suspicious/noExplicitAny: a collection of definitions of different states
export type AnyDefinition = StreamDefinition<any, any>;

/** Applies one event to a folded stream. The audit fields come from the event's metadata. */
export function fold<State extends object, Event extends DomainEvent>(
  definition: StreamDefinition<State, Event>,
  before: Folded<State> | undefined,
  recorded: Pick<RecordedEvent<Event>, 'streamId' | 'version' | 'event' | 'metadata' | 'recordedAt'>,
): Folded<State> {
  const on = recorded.recordedAt.toISOString();
  const by = recorded.metadata.actor;
  return {
    id: before?.id ?? toId(definition.kind, recorded.streamId),
    version: recorded.version,
    audit: {
      createdOn: before?.audit.createdOn ?? on,
      createdBy: before?.audit.createdBy ?? by,
      updatedOn: on,
      updatedBy: by,
    },
    data: definition.evolve(before?.data, recorded.event),
    wrapped: before?.wrapped,
  };
}

/** The definitions of all stream kinds, by kind and by event type. */
export class Definitions {
  private readonly kinds = new Map<string, AnyDefinition>();
  private readonly types = new Map<string, AnyDefinition>();

  constructor(definitions: readonly AnyDefinition[]) {
    for (const definition of definitions) {
      if (this.kinds.has(definition.kind)) throw new Error(`Two definitions of ${definition.kind}`);
      this.kinds.set(definition.kind, definition);
      for (const type of Object.keys(definition.events)) {
        if (this.types.has(type)) throw new Error(`Two definitions of event ${type}`);
        this.types.set(type, definition);
      }
    }
  }

  get all(): AnyDefinition[] {
    return [...this.kinds.values()];
  }

  ofKind(kind: string): AnyDefinition {
    const definition = this.kinds.get(kind);
    if (!definition) throw new Error(`No definition of stream kind ${kind}`);
    return definition;
  }

  has(type: string): boolean {
    return this.types.has(type);
  }

  ofType(type: string): AnyDefinition {
    const definition = this.types.get(type);
    if (!definition) throw new Error(`No definition of event type ${type}`);
    return definition;
  }
}
