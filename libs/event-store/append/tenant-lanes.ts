import { Semaphore, type SemaphoreInterface, withTimeout } from 'async-mutex';
import { Coalescer, type Locks } from './coalescer';

interface Lane<Job, Result> {
  coalescer: Coalescer<Job, Result>;
  /** Number of its jobs that have no result yet. */
  jobs: number;
}

/**
 * Sends jobs that wait for their tenant. Each tenant has a lane of its own, so that its jobs keep nobody else's waiting.
 */
export class TenantLanes<Job extends { tenantId: number }, Result> {
  private readonly lanes = new Map<number, Lane<Job, Result>>();
  private readonly flights: SemaphoreInterface;

  constructor(
    /** As for `Coalescer`. All jobs are of one tenant. */
    private readonly run: (jobs: Job[], locks: Locks[]) => Promise<(Result | Error)[]>,
    private readonly options: {
      locks(job: Job): Locks;
      /** How many batches of all tenants together may be in flight. */
      flights: number;
      /** How long a batch waits for others to land, and the error for its jobs if that takes longer. */
      patience: { ms: number; error: Error };
    },
  ) {
    const { flights, patience } = options;
    this.flights = withTimeout(new Semaphore(flights), patience.ms, patience.error);
  }

  async submit(job: Job): Promise<Result> {
    const lane = this.laneOf(job.tenantId);
    lane.jobs++;
    try {
      return await lane.coalescer.submit(job);
    } finally {
      if (--lane.jobs === 0) this.lanes.delete(job.tenantId);
    }
  }

  private laneOf(tenantId: number): Lane<Job, Result> {
    let lane = this.lanes.get(tenantId);
    if (!lane) {
      const flight = (jobs: Job[], locks: Locks[]) => this.flights.runExclusive(() => this.run(jobs, locks));
      lane = { coalescer: new Coalescer(flight, { lanes: 1, locks: this.options.locks }), jobs: 0 };
      this.lanes.set(tenantId, lane);
    }
    return lane;
  }
}
