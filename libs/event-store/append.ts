import { Injectable } from '@nestjs/common';
import { WriteDatabase } from '#platform/database';
import { type AppendJob, locksOf } from './append/append-job';
import { appendStatement, type BusyTenants } from './append/append-parameters';
import { Coalescer, type Locks } from './append/coalescer';
import { TenantLanes } from './append/tenant-lanes';
import { type ClosedReason, tenantClosed } from './closed-tenants';
import { fromStore, storeUnavailable } from './outage';
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
  /** Numbers, from 1, of the commands that wrote nothing because somebody holds their tenant's lock. */
  busy: number[];
}

type Result = Position | undefined;

/** Stands for the result of a command that has to wait for its tenant. */
const LEFT_OUT = new Error('Somebody holds the lock of the tenant');

const NOTHING_CHANGED = 'The event store takes no changes at the moment; nothing was changed.';
/** As long as the server lets a batch wait for a lock. */
const PATIENCE_MS = 10_000;

/**
 * Appends commands. Commands that arrive together in one process share one round trip and one transaction. Such a batch
 * waits for no tenant: commands of a tenant whose lock somebody holds are sent again, with none of other tenants.
 */
@Injectable()
export class Appender {
  private readonly coalescer: Coalescer<AppendJob, Result>;
  private readonly late: TenantLanes<AppendJob, Result>;

  constructor(
    private readonly database: WriteDatabase,
    private readonly signal: AppendSignal,
  ) {
    this.coalescer = new Coalescer(
      async (jobs, locks) => {
        const results = await this.run(jobs, locks, 'left out');
        return results.map((result, index) => (result === LEFT_OUT ? this.late.submit(jobs[index]) : result));
      },
      { lanes: 2, locks: locksOf },
    );
    this.late = new TenantLanes((jobs, locks) => this.run(jobs, locks, 'awaited'), {
      locks: locksOf,
      // Most connections are left to other tenants.
      flights: Math.ceil(database.pool.options.max / 4),
      patience: { ms: PATIENCE_MS, error: storeUnavailable(NOTHING_CHANGED) },
    });
  }

  /**
   * Appends the events of one command.
   * @returns the position of the command's last event, after commit; undefined when the command has no events
   * @throws AppendRefused, or DomainError `store_unavailable` when the store does not answer, `promotion_in_progress`
   * when the tenant is closed
   */
  append(job: AppendJob): Promise<Result> {
    return this.coalescer.submit(job);
  }

  private async run(jobs: AppendJob[], locks: Locks[], busy: BusyTenants): Promise<(Result | Error)[]> {
    const statement = appendStatement(jobs, locks, busy);
    const { rows } = await fromStore(
      () => this.database.pool.query<Answer>(statement),
      'The event store does not answer; whether the change was made is not known.',
      NOTHING_CHANGED,
    );
    return this.results(jobs, rows[0]);
  }

  private results(jobs: AppendJob[], answer: Answer): (Result | Error)[] {
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
function refusalsOf({ refusals, busy }: Answer): Map<number, Error> {
  const refused = new Map<number, Error>();
  for (const refusal of refusals ?? []) {
    const index = refusal.command - 1;
    const known = refused.get(index);
    if (refusal.verdict === 'closed') refused.set(index, tenantClosed(refusal.subject));
    else if (!known || (known instanceof AppendRefused && outweighs(refusal.verdict, known.verdict)))
      refused.set(index, new AppendRefused(refusal.verdict, refusal.subject, refusal.actual));
  }
  // What such a command was judged by may change while it waits.
  for (const command of busy) refused.set(command - 1, LEFT_OUT);
  return refused;
}

/**
 * Whether one reason takes precedence over another. A taken key may only be the number of a counter that has moved on,
 * so any other reason outweighs `taken`.
 */
function outweighs(verdict: Verdict, known: Verdict): boolean {
  return known === 'taken' || verdict === 'repeated';
}
