import { DomainError } from '#kernel/errors';

/** What a job of a batch must have to itself, and what it may share with others that only read it. */
export interface Claims {
  exclusive: readonly bigint[];
  shared: readonly bigint[];
}

interface Waiting<Job, Result> {
  job: Job;
  claims: Claims;
  resolve(result: Result): void;
  reject(error: unknown): void;
}

const NOTHING: Claims = { exclusive: [], shared: [] };
/** What waits is shared out between idle lanes in batches of no fewer jobs: a batch costs as much as five jobs. */
const SMALL_BATCH = 16;
const MAX_BATCH = 256;
/** PostgreSQL's table of locks holds some ten thousand for all sessions together. */
const MAX_CLAIMS = 1_024;

/**
 * Sends concurrent jobs together. While a batch is in flight on each lane the next jobs queue; a batch starts
 * on setImmediate, so that all that arrived in one turn of the event loop go as one. Jobs whose claims collide
 * never share a batch: the later one waits for the next.
 */
export class Coalescer<Job, Result> {
  private queue: Waiting<Job, Result>[] = [];
  private busy = 0;
  private scheduled = false;

  constructor(
    /**
     * Answers in the order of the jobs; an Error in a place rejects that job alone. When it throws `unavailable`, that
     * is the answer to all jobs; after anything else nothing was done, and each job is run by itself.
     */
    private readonly run: (jobs: Job[], claims: Claims[]) => Promise<(Result | Error)[]>,
    private readonly options: { lanes: number; claims?: (job: Job) => Claims },
  ) {}

  submit(job: Job): Promise<Result> {
    return new Promise((resolve, reject) => {
      this.queue.push({ job, claims: this.options.claims?.(job) ?? NOTHING, resolve, reject });
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
        batch.map(({ claims }) => claims),
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
      // Something in the batch cannot be carried out: each by itself, so that it fails alone.
      for (const waiting of batch) await this.settle([waiting]);
    }
  }

  /** The longest-waiting jobs that do not collide. */
  private take(): Waiting<Job, Result>[] {
    const batch: Waiting<Job, Result>[] = [];
    const left: Waiting<Job, Result>[] = [];
    const exclusive = new Set<bigint>();
    const shared = new Set<bigint>();
    const share = Math.ceil(this.queue.length / (this.options.lanes - this.busy));
    const limit = Math.min(MAX_BATCH, Math.max(SMALL_BATCH, share));
    for (const [index, waiting] of this.queue.entries()) {
      if (batch.length >= limit || exclusive.size + shared.size >= MAX_CLAIMS) {
        left.push(...this.queue.slice(index));
        break;
      }
      const { claims } = waiting;
      const collides =
        claims.exclusive.some((claim) => exclusive.has(claim) || shared.has(claim)) ||
        claims.shared.some((claim) => exclusive.has(claim));
      (collides ? left : batch).push(waiting);
      // Also for one that must wait: what comes after it must not overtake it.
      for (const claim of claims.exclusive) exclusive.add(claim);
      for (const claim of claims.shared) shared.add(claim);
    }
    this.queue = left;
    return batch;
  }
}
