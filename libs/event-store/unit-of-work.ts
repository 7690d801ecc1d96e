import type { Span } from '@opentelemetry/api';
import type { DomainEvent, StreamDefinition } from '#kernel/decider';
import { type Id, kindOf, toUuid } from '#kernel/ids';
import type { RequestContext } from '#platform/request-context';
import { requireMatch } from '#platform/version-match';
import { AppendDraft } from './append/append-draft';
import type { AppendJob } from './append/append-job';
import { type ClosedReason, tenantClosed } from './closed-tenants';
import type { Codec } from './codec';
import type { Folded, RecordedEvent } from './events';
import { type Ask, closed, type Repeat, repeatOf } from './load';
import type { Loader } from './loader';
import type { SubjectKeys } from './subject-keys';

/** The answers to a load's questions, by the questions' names. */
export type Answers<Asks extends Record<string, Ask<unknown>>> = {
  [Name in keyof Asks]: NonNullable<Asks[Name]> extends Ask<infer Answer> ? Answer : never;
};

/** The request was already carried out under its idempotency key. */
export class AlreadyDone extends Error {
  constructor(readonly repeat: Repeat) {
    super('Already done');
  }
}

export interface UnitOfWorkParts {
  loader: Loader;
  codec: Codec;
  keys: SubjectKeys;
}

/**
 * One attempt at one command: the streams that it read become guards, its decisions become one append. Each attempt has
 * a unit of work of its own.
 */
export class UnitOfWork {
  /** Part of the answer in addition to the record, stored with the idempotency key. Never personal data. */
  outcome: unknown = null;
  private readonly read = new Map<string, Folded>();
  private readonly draft: AppendDraft;
  private readonly loader: Loader;

  constructor(
    readonly context: RequestContext,
    readonly now: Date,
    source: string,
    { loader, codec, keys }: UnitOfWorkParts,
  ) {
    this.loader = loader;
    this.draft = new AppendDraft(context, now, source, codec, keys);
  }

  /**
   * Answers all questions in one round trip. Streams that are read and not written become guards.
   * @throws DomainError `promotion_in_progress`: the state of a closed tenant is no basis for a decision
   */
  async load<Asks extends Record<string, Ask<unknown>>>(asks: Asks): Promise<Answers<Asks>> {
    const { context } = this;
    const names = Object.keys(asks);
    const list: Ask<unknown>[] = [...names.map((name) => asks[name]), closed()];
    // Asked with every load: if another attempt of the same request was completed since the last load, it is found by
    // its key, and its effects do not lead to a refusal.
    if (context.idempotency) {
      list.push(repeatOf(context.integrationId, context.idempotency.key, this.now));
    }
    // The rate limit is checked in parallel with the load. A request that it refuses goes no further.
    const [answers] = await Promise.all([this.loader.load(context.tenant.id, list), context.admitted]);
    const [reason, repeat] = answers.slice(names.length) as [ClosedReason | undefined, Repeat?];
    if (reason) throw tenantClosed(reason);
    if (repeat) throw new AlreadyDone(repeat);
    for (const [index, answer] of answers.slice(0, names.length).entries()) {
      if (!answer || !list[index].definition) continue;
      for (const folded of [answer].flat() as Folded[]) {
        const stream = toUuid(folded.id);
        // The command may have relied on the version that it read first, so that version is the guard.
        if (!this.read.has(stream)) this.read.set(stream, folded);
      }
    }
    return Object.fromEntries(names.map((name, index) => [name, answers[index]])) as Answers<Asks>;
  }

  /** Yields the events of a record that was loaded, oldest first, as many at a time as fit into memory. */
  history({ id, version }: Folded): AsyncGenerator<RecordedEvent[]> {
    return this.loader.parts(this.context.tenant.id, toUuid(id), { upTo: version });
  }

  /** The streams that were read and their versions, as a text for comparison. */
  get seen(): string {
    return JSON.stringify([...this.read].map(([stream, { version }]) => [stream, version]));
  }

  /** Appends events to a new stream. */
  create<State extends object, Event extends DomainEvent>(
    definition: StreamDefinition<State, Event>,
    id: Id,
    events: Event[],
  ): Folded<State> {
    return this.draft.record(definition, id, undefined, events);
  }

  /**
   * Checks that the addressed record is at the version that If-Match names. The first `change` of a command also checks
   * this; call it earlier if the decision itself may refuse.
   * @throws DomainError `version_mismatch` (412)
   */
  requireMatch({ version }: Folded): void {
    requireMatch(this.context, version, 'The record is');
  }

  /**
   * Appends events to a stream that was loaded. Without events the stream stays as it is.
   * @throws DomainError `version_mismatch` (412) when If-Match names another version
   */
  change<State extends object, Event extends DomainEvent>(
    definition: StreamDefinition<State, Event>,
    before: Folded<State>,
    events: Event[],
  ): Folded<State> {
    if (this.draft.isEmpty) this.requireMatch(before);
    return events.length === 0 ? before : this.draft.record(definition, before.id, before, events);
  }

  /** Requires at commit that no link of the given kind (by default of any kind) points at the record. */
  requireUnlinked(id: string, kind: string | null = null): void {
    this.draft.add('unlinked', { target: toUuid(id), kind });
  }

  /** Moves a counter from the value that was read. A further call in the same command only replaces the new value. */
  count(name: string, expected: number, value: number): void {
    this.draft.count(name, expected, value);
  }

  /** The span of the append, which must be started before `job`; undefined if the request is not traced. */
  startSpan(): Span | undefined {
    return this.draft.startSpan();
  }

  /**
   * The append job, or undefined if there is nothing to append. `primary` is the record that the answer shows. A
   * request that changed nothing still stores its answer under its idempotency key.
   * @throws DomainError `event_too_large`, `invalid_text`, `<kind>_taken`
   */
  job(primary: Folded | undefined): AppendJob | undefined {
    const { idempotency, integrationId } = this.context;
    if (this.draft.isEmpty && !idempotency) return undefined;
    const guards = [...this.read]
      .filter(([stream]) => !this.draft.has(stream))
      .map(([stream, { version }]) => ({ stream, version }));
    const job = this.draft.job(guards);
    if (idempotency) {
      const repeat = {
        integration: integrationId,
        key: idempotency.key,
        hash: idempotency.hash.toString('hex'),
        streams: this.records(primary).map(({ id, version }) => ({ kind: kindOf(id)!, id, version })),
        outcome: this.outcome,
      };
      job.sections.repeats = [repeat];
    }
    return job;
  }

  /** The written records, the primary record first. */
  records(primary: Folded | undefined): Folded[] {
    const written = this.draft.records();
    return primary ? [primary, ...written.filter(({ id }) => id !== primary.id)] : written;
  }
}
