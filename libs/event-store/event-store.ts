import { Injectable } from '@nestjs/common';
import { Clock } from '#kernel/clock';
import { conflict, DomainError, invalid, RecordsDisagree } from '#kernel/errors';
import { toUuid } from '#kernel/ids';
import { Turns } from '#kernel/turns';
import { failSpan } from '#platform/observability/spans';
import type { RequestContext } from '#platform/request-context';
import { Appender, AppendRefused } from './append';
import { taken } from './append/append-draft';
import { Codec } from './codec';
import type { Folded } from './events';
import { at, type Repeat, repeatOf } from './load';
import { Loader } from './loader';
import { type Position, printPosition } from './position';
import { SubjectKeys } from './subject-keys';
import { AlreadyDone, UnitOfWork } from './unit-of-work';

/** The result of a command. */
export interface Written<State extends object = object> {
  record: Folded<State>;
  /** All written records, with the record of the answer first; for a repeated request only that record. */
  records: Folded[];
  /** The position of the last event; absent when nothing had to be written. */
  position?: Position;
  outcome: unknown;
  /** The request was already carried out under the same Idempotency-Key. */
  replayed: boolean;
}

type Done = Omit<Written, 'record'> & { record: Folded | undefined };

/** The records that an attempt read contradict each other. */
class Disagreement {
  constructor(
    readonly error: RecordsDisagree,
    /** `UnitOfWork.seen` of the attempt. */
    readonly seen: string,
  ) {}
}

const ATTEMPTS = 5;
/** A number that another process took says nothing about this request, only that others take numbers too. */
const COUNTER_ATTEMPTS = 25;

/**
 * Executes commands: loads, decides and appends, and repeats this when a state that was relied on has changed
 * meanwhile.
 */
@Injectable()
export class EventStore {
  private readonly turns = new Turns();

  constructor(
    private readonly loader: Loader,
    private readonly appender: Appender,
    private readonly codec: Codec,
    private readonly keys: SubjectKeys,
    private readonly clock: Clock,
  ) {}

  /**
   * Runs an attempt against fresh state until it is appended or refused: at most five times, or 25 when others keep
   * taking the next number.
   * @param attempt loads, decides and records; returns the record that the answer shows. It may run more than once
   * @throws DomainError what the attempt refuses; `conflict` when others keep changing the same records
   */
  async execute<State extends object>(
    context: RequestContext,
    attempt: (work: UnitOfWork) => Promise<Folded<State>>,
    { source = 'rest' }: { source?: string } = {},
  ): Promise<Written<State>> {
    return (await this.run(context, attempt, source)) as Written<State>;
  }

  /** Like `execute`, for a request about many records. The result for each record is in `work.outcome`. */
  executeMany(
    context: RequestContext,
    attempt: (work: UnitOfWork) => Promise<void>,
  ): Promise<Pick<Written, 'outcome' | 'position' | 'replayed'>> {
    return this.run(context, (work) => attempt(work).then(() => undefined), 'rest');
  }

  private async run(
    context: RequestContext,
    attempt: (work: UnitOfWork) => Promise<Folded | undefined>,
    source: string,
  ): Promise<Done> {
    try {
      return await this.attempts(context, attempt, source);
    } catch (error) {
      if (error instanceof AlreadyDone) return this.replay(context, error.repeat);
      throw error;
    }
  }

  private async attempts(
    context: RequestContext,
    attempt: (work: UnitOfWork) => Promise<Folded | undefined>,
    source: string,
  ): Promise<Done> {
    let refusal: AppendRefused | undefined;
    let disagreement: Disagreement | undefined;
    let fights = 0;
    for (let count = 0; fights < ATTEMPTS && count < COUNTER_ATTEMPTS; count++) {
      const once = () => this.once(context, attempt, source);
      const turn = refusal && turnOf(context, refusal);
      const result = await (turn ? this.turns.take(turn, once) : once());
      if (result instanceof Disagreement) {
        // Nobody has written the records since the last attempt: they will not agree in another one.
        if (++fights === ATTEMPTS && result.seen === disagreement?.seen) throw result.error;
        disagreement = result;
        continue;
      }
      if (!(result instanceof AppendRefused)) return result;
      await this.refused(context, result);
      refusal = result;
      if (result.verdict !== 'counter') fights++;
    }
    const found = refusal?.verdict === 'version' ? ` It is at version ${refusal.actual} now.` : '';
    throw conflict('concurrent_update', `Others keep changing the same record; try again.${found}`);
  }

  private async once(
    context: RequestContext,
    attempt: (work: UnitOfWork) => Promise<Folded | undefined>,
    source: string,
  ): Promise<Done | AppendRefused | Disagreement> {
    const { loader, codec, keys } = this;
    const work = new UnitOfWork(context, this.clock.now(), source, { loader, codec, keys });
    const record = await attempt(work).catch((error: Error) => {
      if (error instanceof RecordsDisagree) return new Disagreement(error, work.seen);
      throw error;
    });
    if (record instanceof Disagreement) return record;
    const span = work.startSpan();
    try {
      const job = work.job(record);
      await context.admitted;
      const position = job && (await this.appender.append(job));
      if (span && position) span.setAttribute('practice.event.position', printPosition(position));
      const records = work.records(record);
      return { record, records, position, outcome: work.outcome, replayed: false };
    } catch (error) {
      if (error instanceof AppendRefused) {
        span?.setAttribute('practice.refusal', error.verdict);
        return error;
      }
      failSpan(span, error);
      throw error;
    } finally {
      span?.end();
    }
  }

  /** Throws if another attempt cannot succeed. */
  private async refused(context: RequestContext, { verdict, subject }: AppendRefused): Promise<void> {
    if (verdict === 'taken') throw taken(subject);
    if (verdict === 'repeated') {
      const { key } = context.idempotency!;
      const [repeat] = await this.loader.load(context.tenant.id, [
        repeatOf(context.integrationId, key, this.clock.now()),
      ]);
      if (repeat) throw new AlreadyDone(repeat);
    }
  }

  /** Repeats the first answer: the record as it was then. */
  private async replay(context: RequestContext, repeat: Repeat): Promise<Done> {
    if (!context.idempotency!.hash.equals(repeat.hash)) {
      throw invalid('idempotency_key_reused', 'This Idempotency-Key was used before with another request.');
    }
    const [shown] = repeat.streams;
    const record = shown && (await this.asOf(context, shown));
    const position = await this.loader.positionOf(context.tenant.id, repeat.streams);
    return { record, records: record ? [record] : [], position, outcome: repeat.outcome, replayed: true };
  }

  /** A record at a version: as it is stored, or folded from its events if it has changed since. */
  private async asOf(
    { tenant }: RequestContext,
    { kind, id, version }: Repeat['streams'][number],
  ): Promise<Folded> {
    const definition = this.codec.definitions.ofKind(kind);
    const [present] = await this.loader.load(tenant.id, [at(definition, id)]);
    if (present?.version === version) return present;
    const folded = await this.loader.foldEvents(definition, tenant.id, toUuid(id), version);
    if (!folded) throw new DomainError('unavailable', 'store_unavailable', `The events of ${id} are gone.`);
    return folded;
  }
}

/** What writers of this process queue for once there is contention: a record or a counter. */
function turnOf(context: RequestContext, { verdict, subject }: AppendRefused): string | undefined {
  if (verdict === 'version') return subject;
  return verdict === 'counter' ? `${context.tenant.id}/${subject}` : undefined;
}
