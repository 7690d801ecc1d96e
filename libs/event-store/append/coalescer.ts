import { DomainError } from '#kernel/errors';

/** The locks of a job: exclusive ones, and shared ones for what it only reads. */
export interface Locks {
  exclusive: readonly bigint[];
  shared: readonly bigint[];
}

interface Waiting<Job, Result> {
  job: Job;
  locks: Locks;
  resolve(result: Result | Promise<Result>): void;
  reject(error: unknown): void;
}

const NOTHING: Locks = { exclusive: [], shared: [] };
/**
 * Waiting jobs are split among idle lanes, but not into smaller batches than this: a batch costs as much as five jobs.
 */
const SMALL_BATCH = 16;
const MAX_BATCH = 256;
/** PostgreSQL's lock table holds some ten thousand locks for all sessions together. */
const MAX_LOCKS = 1_024;

/**
 * Sends concurrent jobs together. While a batch is in flight on each lane, further jobs queue. A batch starts on
 * setImmediate, so that jobs that arrive in one turn of the event loop share a batch. Jobs whose locks collide never
 * share a batch: the later job waits for the next one.
 */
export class Coalescer<Job, Result> {
  private queue: Waiting<Job, Result>[] = [];
  private busy = 0;
  private scheduled = false;

  constructor(
    /**
     * Returns the results in the order of the jobs. An Error in place of a result rejects that job alone; a promise is the
     * result of a job that takes longer than the batch. If it throws `unavailable`, all jobs are rejected with that. If it throws anything else, nothing was done, and each job is run
     * by itself.
     */
    private readonly run: (jobs: Job[], locks: Locks[]) => Promise<(Result | Error | Promise<Result>)[]>,
    private readonly options: { lanes: number; locks?: (job: Job) => Locks },
  ) {}

  submit(job: Job): Promise<Result> {
    return new Promise((resolve, reject) => {
      this.queue.push({ job, locks: this.options.locks?.(job) ?? NOTHING, resolve, reject });
      this.schedule();
    });
  }

  private schedule(): void {
    if (this.scheduled || this.busy >= this.options.lanes || this.queue.length === 0) return;
    this.scheduled = true;
    setImmediate(() => {
      this.scheduled = false;
      void this.flight(this.take());
      this.schedule();
    });
  }

  private async flight(batch: Waiting<Job, Result>[]): Promise<void> {
    this.busy++;
    await this.settle(batch);
    this.busy--;
    this.schedule();
  }

  private async settle(batch: Waiting<Job, Result>[]): Promise<void> {
    try {
      const results = await this.run(
        batch.map(({ job }) => job),
        batch.map(({ locks }) => locks),
      );
      batch.forEach((waiting, index) => {
        const result = results[index];
        if (result instanceof Error) waiting.reject(result);
        else waiting.resolve(result);
      });
    } catch (error) {
      if (batch.length === 1 || (error instanceof DomainError && error.fault === 'unavailable')) {
        for (const waiting of batch) waiting.reject(error);
        return;
      }
      // Some job of the batch cannot be carried out: each job is run by itself, so that only that one fails.
      for (const waiting of batch) await this.settle([waiting]);
    }
  }

  /** Takes the jobs that have waited longest and whose locks do not collide. */
  private take(): Waiting<Job, Result>[] {
    const batch: Waiting<Job, Result>[] = [];
    const left: Waiting<Job, Result>[] = [];
    const exclusive = new Set<bigint>();
    const shared = new Set<bigint>();
    const share = Math.ceil(this.queue.length / (this.options.lanes - this.busy));
    const limit = Math.min(MAX_BATCH, Math.max(SMALL_BATCH, share));
    for (const [index, waiting] of this.queue.entries()) {
      if (batch.length >= limit || exclusive.size + shared.size >= MAX_LOCKS) {
        left.push(...this.queue.slice(index));
        break;
      }
      const { locks } = waiting;
      const collides =
        locks.exclusive.some((lock) => exclusive.has(lock) || shared.has(lock)) ||
        locks.shared.some((lock) => exclusive.has(lock));
      (collides ? left : batch).push(waiting);
      // A job that must wait also claims its locks, so that later jobs do not overtake it.
      for (const lock of locks.exclusive) exclusive.add(lock);
      for (const lock of locks.shared) shared.add(lock);
    }
    this.queue = left;
    return batch;
  }
}
