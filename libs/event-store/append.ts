import { Injectable } from '@nestjs/common';
import { DomainError } from '#kernel/errors';
import { WriteDatabase } from '#platform/database';
import { type AppendJob, locksOf } from './append/append-job';
import { appendStatement } from './append/append-parameters';
import { Coalescer, type Locks } from './append/coalescer';
import { type ClosedReason, tenantClosed } from './closed-tenants';
import { fromStore } from './outage';
import type { Position } from './position';
import { AppendSignal } from './signal';

/** The reason why the store refused a command. */
export type Verdict = 'repeated' | 'version' | 'guard' | 'linked' | 'taken' | 'counter';

/** A refusal as `event_store.append` returns it. */
type Refusal =
  | { command: number; verdict: Verdict; subject: string; actual: string | null }
  | { command: number; verdict: 'closed'; subject: ClosedReason; actual: null };

/** A state that the decision relied on has changed (or, with `repeated`, the command was already carried out). */
export class AppendRefused extends Error {
  constructor(
    readonly verdict: Verdict,
    /** The stream's UUID, the key's kind or the counter's name. */
    readonly subject: string,
    /** The version, key or value that was found. */
    readonly actual: string | null,
  ) {
    super(`Append refused: ${verdict} ${subject} ${actual ?? ''}`);
  }
}

interface Answer {
  refusals: Refusal[] | null;
  epoch: number;
  transaction_id: string | null;
  positions: string[] | null;
}

/** Appends commands. Commands that arrive together in one process share one round trip and one transaction. */
@Injectable()
export class Appender {
  private readonly coalescer: Coalescer<AppendJob, Position | undefined>;

  constructor(
    private readonly database: WriteDatabase,
    private readonly signal: AppendSignal,
  ) {
    this.coalescer = new Coalescer((jobs, locks) => this.run(jobs, locks), { lanes: 2, locks: locksOf });
  }

  /**
   * Appends the events of one command.
   * @returns the position of the command's last event, after commit; undefined when the command has no events
   * @throws AppendRefused, or DomainError `store_unavailable` when the store does not answer, `promotion_in_progress`
   * when the tenant is closed
   */
  append(job: AppendJob): Promise<Position | undefined> {
    return this.coalescer.submit(job);
  }

  private async run(jobs: AppendJob[], locks: Locks[]): Promise<(Position | undefined | Error)[]> {
    const statement = appendStatement(jobs, locks);
    const { rows } = await fromStore(
      () => this.database.pool.query<Answer>(statement),
      'The event store does not answer; whether the change was made is not known.',
      'The event store takes no changes at the moment; nothing was changed.',
    );
    return this.results(jobs, rows[0]);
  }

  private results(jobs: AppendJob[], answer: Answer): (Position | undefined | Error)[] {
    const refused = refusalsOf(answer);
    let appended = 0;
    const partitions = new Set<number>();
    const results = jobs.map((job, index) => {
      const refusal = refused.get(index);
      if (refusal) return refusal;
      if (job.events.length === 0) return undefined;
      appended += job.events.length;
      partitions.add(job.partition);
      return {
        epoch: answer.epoch,
        transactionId: BigInt(answer.transaction_id!),
        position: BigInt(answer.positions![appended - 1]),
      };
    });
    this.signal.appended(partitions);
    return results;
  }
}

/** The refused commands by their index, each with the reason that decides the answer. */
function refusalsOf({ refusals }: Answer): Map<number, AppendRefused | DomainError> {
  const refused = new Map<number, AppendRefused | DomainError>();
  for (const refusal of refusals ?? []) {
    const index = refusal.command - 1;
    const known = refused.get(index);
    if (refusal.verdict === 'closed') refused.set(index, tenantClosed(refusal.subject));
    else if (!known || (known instanceof AppendRefused && outweighs(refusal.verdict, known.verdict)))
      refused.set(index, new AppendRefused(refusal.verdict, refusal.subject, refusal.actual));
  }
  return refused;
}

/**
 * Whether one reason takes precedence over another. A taken key may only be the number of a counter that has moved on,
 * so any other reason outweighs `taken`.
 */
function outweighs(verdict: Verdict, known: Verdict): boolean {
  return known === 'taken' || verdict === 'repeated';
}
