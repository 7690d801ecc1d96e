import { v7 } from 'uuid';
import type { DomainEvent, StreamDefinition } from '#kernel/decider';
import { DomainError } from '#kernel/errors';
import { type Id, toUuid } from '#kernel/ids';
import type { RequestContext } from '#platform/request-context';
import type { AppendJob, Section } from './append';
import type { Codec } from './codec';
import { type AnyDefinition, type EventMetadata, type Folded, fold, type RecordedEvent } from './events';
import { type Ask, type Repeat, repeatOf } from './load';
import type { Loader } from './loader';
import type { SubjectKeys } from './subject-keys';

type Answers<Asks extends Record<string, Ask<unknown>>> = {
  [Name in keyof Asks]: Asks[Name] extends Ask<infer Answer> ? Answer : never;
};

/** The request was already carried out under its idempotency key. */
export class AlreadyDone extends Error {
  constructor(readonly repeat: Repeat) {
    super('Already done');
  }
}

type Decided<Event extends DomainEvent = DomainEvent> = Omit<
  RecordedEvent<Event>,
  'tenantId' | 'eventId' | 'partition' | 'at'
>;

interface Written {
  definition: AnyDefinition;
  before: Folded | undefined;
  after: Folded;
}

export interface UnitOfWorkParts {
  loader: Loader;
  codec: Codec;
  keys: SubjectKeys;
}

/**
 * One attempt at one command: what it read becomes guards, what it decided becomes one append.
 * A fresh one is made for each attempt.
 */
export class UnitOfWork {
  /** What the answer holds beside the record; kept with the idempotency key. Never personal data. */
  outcome: unknown = null;
  private readonly read = new Map<string, Folded>();
  private readonly written = new Map<string, Written>();
  private readonly sections: Partial<Record<Section, Record<string, unknown>[]>> = {};
  private readonly pending: { stream: string; recorded: Decided }[] = [];
  private loads = 0;

  constructor(
    readonly context: RequestContext,
    readonly now: Date,
    private readonly source: string,
    private readonly parts: UnitOfWorkParts,
  ) {}

  /** Answers all questions in one round trip. Streams that are read and not written become guards. */
  async load<Asks extends Record<string, Ask<unknown>>>(asks: Asks): Promise<Answers<Asks>> {
    const { context } = this;
    const names = Object.keys(asks);
    const list: Ask<unknown>[] = names.map((name) => asks[name]);
    if (context.idempotency && this.loads++ === 0) {
      list.push(repeatOf(context.integrationId, context.idempotency.key, this.now));
    }
    // The rate limit is counted beside the load; what it refuses goes no further.
    const [answers] = await Promise.all([this.parts.loader.load(context.tenant.id, list), context.admitted]);
    if (list.length > names.length && answers[names.length]) {
      throw new AlreadyDone(answers[names.length] as Repeat);
    }
    for (const [index, answer] of answers.slice(0, names.length).entries()) {
      if (answer && list[index].definition) this.read.set(toUuid((answer as Folded).id), answer as Folded);
    }
    return Object.fromEntries(names.map((name, index) => [name, answers[index]])) as Answers<Asks>;
  }

  /** Appends events to a new stream. */
  create<State extends object, Event extends DomainEvent>(
    definition: StreamDefinition<State, Event>,
    id: Id,
    events: Event[],
  ): Folded<State> {
    return this.record(definition, id, undefined, events);
  }

  /**
   * Appends events to a stream that was loaded; without events it stays as it is.
   * @throws DomainError `precondition` when If-Match names another version
   */
  change<State extends object, Event extends DomainEvent>(
    definition: StreamDefinition<State, Event>,
    before: Folded<State>,
    events: Event[],
  ): Folded<State> {
    const expected = this.context.ifMatch;
    if (expected !== undefined && this.written.size === 0 && expected !== before.version) {
      throw new DomainError(
        'precondition',
        'version_mismatch',
        `The record is at version ${before.version}, not ${expected}.`,
        [],
        { ETag: `"${before.version}"` },
      );
    }
    return events.length === 0 ? before : this.record(definition, before.id, before, events);
  }

  /** Holds only while no link of that kind (none given: of any) points at the record. */
  requireUnlinked(id: string, kind: string | null = null): void {
    this.add('unlinked', { target: toUuid(id), kind });
  }

  /** Moves a counter from the value that was read. */
  count(name: string, expected: number, value: number): void {
    this.add('counters', { name, expected, value });
  }

  /** What to append, or undefined when nothing was decided. `primary` is the record that the answer shows. */
  job(status: number, primary: Folded | undefined): AppendJob | undefined {
    if (this.written.size === 0) return undefined;
    const { tenant, integrationId, idempotency } = this.context;
    for (const [stream, folded] of this.read) {
      if (!this.written.has(stream)) this.add('guards', { stream, version: folded.version });
    }
    if (idempotency) {
      const shown = [...this.written.values()].map(({ definition, after }) => ({
        kind: definition.kind,
        id: after.id,
        version: after.version,
      }));
      this.add('repeats', {
        integration: integrationId,
        key: idempotency.key,
        hash: idempotency.hash.toString('hex'),
        status,
        streams: shown.sort((a, b) => Number(b.id === primary?.id) - Number(a.id === primary?.id)),
        outcome: this.outcome,
        at: this.now,
      });
    }
    for (const written of this.written.values()) this.finish(written);
    return { tenantId: tenant.id, partition: tenant.partition, sections: this.sections };
  }

  /** What was written, the primary record first. */
  records(primary: Folded | undefined): Folded[] {
    const written = [...this.written.values()].map(({ after }) => after);
    return primary ? [primary, ...written.filter(({ id }) => id !== primary.id)] : written;
  }

  private record<State extends object, Event extends DomainEvent>(
    definition: StreamDefinition<State, Event>,
    id: Id,
    loaded: Folded<State> | undefined,
    events: Event[],
  ): Folded<State> {
    const stream = toUuid(id);
    const earlier = this.written.get(stream);
    let after = (earlier?.after as Folded<State> | undefined) ?? loaded;
    for (const event of events) {
      const recorded: Decided<Event> = {
        streamId: stream,
        version: (after?.version ?? 0) + 1,
        event,
        metadata: this.metadata(),
        recordedAt: this.now,
      };
      after = fold(definition, after, recorded);
      this.pending.push({ stream, recorded });
    }
    if (!after) throw new Error(`${definition.kind} ${id} was created without an event`);
    this.written.set(stream, { definition, before: earlier ? earlier.before : loaded, after });
    return after;
  }

  private metadata(): EventMetadata {
    const { actor, integrationId, correlationId } = this.context;
    return { actor, integrationId, correlationId, source: this.source };
  }

  private finish({ definition, before, after }: Written): void {
    const { codec } = this.parts;
    const stream = toUuid(after.id);
    const key = definition.personal && this.keyOf(stream, before);
    for (const { recorded } of this.pending.filter((entry) => entry.stream === stream)) {
      const data = codec.encodeEvent(definition, stream, key, recorded.event);
      this.add('events', {
        stream,
        version: recorded.version,
        id: v7(),
        type: recorded.event.type,
        schema: codec.schemaVersion(definition, recorded.event.type),
        data,
        metadata: recorded.metadata,
        at: this.now,
      });
    }
    this.add('streams', {
      stream,
      kind: definition.kind,
      expected: before?.version ?? 0,
      version: after.version,
      state: codec.encodeState(definition, stream, key, after),
      state_version: definition.foldVersion,
    });
    this.difference('links', definition.links, before, after, ({ kind, target }) => ({
      kind,
      target: toUuid(target),
      source: stream,
    }));
    this.difference('keys', definition.keys, before, after, (naturalKey) => ({ ...naturalKey, stream }));
  }

  /** The data key of a stream with personal fields; a new stream is given one. */
  private keyOf(stream: string, before: Folded | undefined): Buffer {
    const { keys } = this.parts;
    if (before?.wrapped) return keys.unwrap(before.wrapped);
    if (before) throw new Error(`The personal data of ${before.id} was erased`);
    const { key, wrapped } = keys.create();
    this.add('subjects', { subject: stream, wrapped: wrapped.toString('hex') });
    return key;
  }

  private difference<Item extends object>(
    section: 'links' | 'keys',
    itemsOf: (state: object) => Item[],
    before: Folded | undefined,
    after: Folded,
    element: (item: Item) => Record<string, unknown>,
  ): void {
    const texts = (folded: Folded | undefined) =>
      new Map(folded ? itemsOf(folded.data).map((item) => [JSON.stringify(item), item]) : []);
    const [old, now] = [texts(before), texts(after)];
    for (const [text, item] of old) if (!now.has(text)) this.add(section, { ...element(item), add: false });
    for (const [text, item] of now) if (!old.has(text)) this.add(section, { ...element(item), add: true });
  }

  private add(section: Section, element: Record<string, unknown>): void {
    (this.sections[section] ??= []).push(element);
  }
}
