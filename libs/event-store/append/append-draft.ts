import { type Span, SpanKind } from '@opentelemetry/api';
import { v7 } from 'uuid';
import type { DomainEvent, StreamDefinition } from '#kernel/decider';
import { conflict, DomainError } from '#kernel/errors';
import { type Id, toUuid } from '#kernel/ids';
import { startSpan } from '#platform/observability/spans';
import { printTraceparent } from '#platform/observability/traceparent';
import type { RequestContext } from '#platform/request-context';
import type { Codec } from '../codec';
import { type AnyDefinition, type EventMetadata, type Folded, fold, type RecordedEvent } from '../events';
import { storedJson } from '../stored-json';
import type { SubjectKeys } from '../subject-keys';
import type { AppendJob, EventWrite, Section, Sections, StreamWrite } from './append-job';

const MAX_EVENT_BYTES = 256 * 1024;

interface Written {
  definition: AnyDefinition;
  before: Folded | undefined;
  after: Folded;
}

type Decided<Event extends DomainEvent = DomainEvent> = Pick<
  RecordedEvent<Event>,
  'streamId' | 'version' | 'event' | 'metadata' | 'recordedAt'
>;

/** The error 409 `<kind>_taken`: another record holds the natural key. */
export function taken(kind: string): DomainError {
  return conflict(`${kind}_taken`, `Another record has this ${kind.replaceAll('_', ' ')}.`);
}

/** Collects what one command writes, and converts it to its stored form. */
export class AppendDraft {
  private readonly written = new Map<string, Written>();
  private readonly decided: Decided[] = [];
  private readonly sections: AppendJob['sections'] = {};
  private readonly metadata: EventMetadata;

  constructor(
    private readonly context: RequestContext,
    private readonly at: Date,
    source: string,
    private readonly codec: Codec,
    private readonly keys: SubjectKeys,
  ) {
    const { actor, integrationId, correlationId } = context;
    this.metadata = { actor, integrationId, correlationId, source };
  }

  /** Whether nothing was written yet. */
  get isEmpty(): boolean {
    return this.written.size === 0;
  }

  has(stream: string): boolean {
    return this.written.has(stream);
  }

  /** The written streams as they are after their events, in the order in which they were first written. */
  records(): Folded[] {
    return [...this.written.values()].map(({ after }) => after);
  }

  /** Appends events to a stream, either as it was loaded or as this command has left it. */
  record<State extends object, Event extends DomainEvent>(
    definition: StreamDefinition<State, Event>,
    id: Id,
    loaded: Folded<State> | undefined,
    events: Event[],
  ): Folded<State> {
    const { at: recordedAt, metadata } = this;
    const streamId = toUuid(id);
    const earlier = this.written.get(streamId);
    let after = (earlier?.after as Folded<State> | undefined) ?? loaded;
    for (const event of events) {
      const version = (after?.version ?? 0) + 1;
      const recorded: Decided<Event> = { streamId, version, event, metadata, recordedAt };
      after = fold(definition, after, recorded);
      this.decided.push(recorded);
      if (event.type === definition.personal?.erasure) this.add('erasures', { subject: streamId });
    }
    if (!after) throw new Error(`${definition.kind} ${id} was created without an event`);
    this.written.set(streamId, { definition, before: earlier ? earlier.before : loaded, after });
    return after;
  }

  /** Moves a counter from the value that was read. A further call in the same command only replaces the new value. */
  count(name: string, expected: number, value: number): void {
    const counted = this.sections.counters?.find((counter) => counter.name === name);
    if (counted) counted.value = value;
    else this.add('counters', { name, expected, value });
  }

  add<Name extends Section>(section: Name, element: Sections[Name]): void {
    const elements: Sections[Name][] = (this.sections[section] ??= []);
    elements.push(element);
  }

  /**
   * Starts the span of the coming append as a child of the request's span, and stores it in the events' metadata.
   * Returns undefined when the request is not traced or nothing was decided.
   */
  startSpan(): Span | undefined {
    const { span: request, tenant } = this.context;
    if (!request || this.isEmpty) return undefined;
    const [kind] = [...this.written.values()].map(({ definition }) => definition.kind);
    const span = startSpan(`append ${kind}`, request.spanContext(), {
      kind: SpanKind.PRODUCER,
      attributes: {
        'practice.tenant': tenant.alias,
        'practice.tenant.id': tenant.id,
        'practice.event.types': [...new Set(this.decided.map(({ event }) => event.type))],
        'practice.event.count': this.decided.length,
      },
    });
    if (span) this.metadata.traceparent = printTraceparent(span.spanContext());
    return span;
  }

  /**
   * Builds the append job; without events it contains only the guards. Must be called once.
   * @throws DomainError `event_too_large`, `invalid_text`, `<kind>_taken`
   */
  job(guards: AppendJob['guards']): AppendJob {
    const { tenant } = this.context;
    const keys = new Map<string, Buffer | undefined>();
    for (const [stream, written] of this.written) keys.set(stream, this.keyOf(stream, written));
    const streams = [...this.written].map(([stream, written]) =>
      this.stream(stream, written, this.isErased(stream) ? undefined : keys.get(stream)),
    );
    return {
      tenantId: tenant.id,
      partition: tenant.partition,
      at: this.at,
      metadata: storedJson(this.metadata),
      streams,
      events: this.decided.map((recorded) => this.event(recorded, keys.get(recorded.streamId))),
      guards,
      // Without events, the sections that the command added are dropped.
      sections: this.isEmpty ? {} : this.sections,
    };
  }

  /** Whether this append destroys the stream's key. */
  private isErased(stream: string): boolean {
    return this.sections.erasures?.some(({ subject }) => subject === stream) ?? false;
  }

  /** The data key of a stream with personal fields; undefined once they are erased. A new stream gets a new key. */
  private keyOf(stream: string, { definition, before }: Written): Buffer | undefined {
    if (!definition.personal) return undefined;
    if (before) return before.wrapped && this.keys.unwrap(before.wrapped);
    if (this.isErased(stream)) throw new Error(`${definition.kind} ${stream} is erased as it is created`);
    const { key, wrapped } = this.keys.create();
    this.add('subjects', { subject: stream, wrapped: wrapped.toString('hex') });
    return key;
  }

  private event({ streamId, version, event }: Decided, key: Buffer | undefined): EventWrite {
    const { definition } = this.written.get(streamId)!;
    const data = storedJson(this.codec.encodeEvent(definition, streamId, key, event));
    if (Buffer.byteLength(data) > MAX_EVENT_BYTES) {
      throw new DomainError('too_large', 'event_too_large', 'The change is larger than 256 KiB.');
    }
    const schema = this.codec.schemaVersion(definition, event.type);
    return { stream: streamId, version, id: v7(), type: event.type, schema, data };
  }

  private stream(stream: string, written: Written, key: Buffer | undefined): StreamWrite {
    const { definition, before, after } = written;
    const links = difference(definition.links, before, after);
    for (const link of links.added)
      this.add('links', { ...link, target: toUuid(link.target), source: stream });
    for (const link of links.removed) {
      this.add('unlinks', { ...link, target: toUuid(link.target), source: stream });
    }
    const keys = difference(definition.keys, before, after);
    for (const naturalKey of keys.added) {
      const { kind } = naturalKey;
      if (this.sections.keys?.some((other) => other.kind === kind && other.key === naturalKey.key))
        throw taken(kind);
      this.add('keys', { ...naturalKey, stream });
    }
    for (const naturalKey of keys.removed) this.add('unkeys', { ...naturalKey, stream });
    return {
      stream,
      kind: definition.kind,
      expected: before?.version ?? 0,
      version: after.version,
      stateVersion: definition.foldVersion,
      state: storedJson(this.codec.encodeState(definition, stream, key, after)),
    };
  }
}

function difference<Item extends object>(
  itemsOf: (state: object) => Item[],
  before: Folded | undefined,
  after: Folded,
): { added: Item[]; removed: Item[] } {
  const items = (folded: Folded) => new Map(itemsOf(folded.data).map((item) => [JSON.stringify(item), item]));
  const now = items(after);
  // All items of a new stream are added.
  if (!before) return { added: [...now.values()], removed: [] };
  const old = items(before);
  return {
    added: [...now].filter(([text]) => !old.has(text)).map(([, item]) => item),
    removed: [...old].filter(([text]) => !now.has(text)).map(([, item]) => item),
  };
}
