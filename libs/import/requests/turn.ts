import type { Logger } from '@nestjs/common';
import type { PoolClient } from 'pg';
import type { RegisteredTenant } from '#platform/auth/tenants';
import type { ImportRun, TableCounts } from '../import-run';
import type { PromotionStep } from '../promotion/promotion-run';
import { StagingArea } from '../staging/staging-area';
import { ImportCancelled, LeaseLost, type Step, WorkerEnding } from './import-request';
import { writeCounts } from './import-tables';
import { type LeasedRequests, requireLease, type TakenRequest } from './leased-requests';
import { turnMetrics } from './turn-metrics';

export interface TurnParts<Requests> {
  worker: string;
  requests: Requests;
  log: Logger;
}

/** A worker's turn at a request. While it lasts it renews the lease, reports progress, and is aborted when the lease is lost. */
export abstract class Turn<Requests extends LeasedRequests = LeasedRequests> implements ImportRun {
  readonly requestId: string;
  readonly tenant: RegisteredTenant;
  readonly requestedBy: string;
  readonly deaths: number;
  readonly staging: StagingArea;
  private readonly ending = new AbortController();
  private readonly timer: NodeJS.Timeout;
  private renewal?: Promise<void>;
  private renewedAt = performance.now();
  private readonly reported = new Map<string, Partial<TableCounts>>();
  private rows = 0;
  private since = performance.now();

  constructor(
    { requestId, tenant, requestedBy, deaths }: TakenRequest,
    protected readonly parts: TurnParts<Requests>,
  ) {
    this.requestId = requestId;
    this.tenant = tenant;
    this.requestedBy = requestedBy;
    this.deaths = deaths;
    this.staging = new StagingArea(requestId);
    this.timer = setInterval(() => this.beat(), parts.requests.settings.heartbeatMs);
  }

  /** The step that the request is in. */
  abstract get step(): Step | PromotionStep;

  get signal(): AbortSignal {
    return this.ending.signal;
  }

  get worker(): string {
    return this.parts.worker;
  }

  /** Makes the work on the request stop. */
  abort(reason: Error): void {
    this.ending.abort(reason);
  }

  report(table: string, counts: Partial<TableCounts>): void {
    const before = this.reported.get(table) ?? {};
    this.worked(Math.max(0, (counts.loaded ?? 0) - (before.loaded ?? 0)));
    this.reported.set(table, { ...before, ...counts });
  }

  owning<Result>(work: (client: PoolClient) => Promise<Result>): Promise<Result> {
    return this.parts.requests.database.transaction(async (client) => {
      await requireLease(client, this.requestId, this.worker);
      return work(client);
    });
  }

  /** Adds to the number of rows that this step has processed. */
  worked(rows: number): void {
    this.rows += rows;
    turnMetrics.worked(this.step, rows);
  }

  /** Whether the request's cancellation is requested. A promotion cannot be cancelled once its first record is appended. */
  async isUnwanted(): Promise<boolean> {
    return (await this.parts.requests.renew(this.requestId, this.worker)) === true;
  }

  /** Stops renewing the lease. */
  async close(): Promise<void> {
    clearInterval(this.timer);
    await this.renewal;
  }

  /**
   * Called while the end of a request waits for a lock: a worker that shuts down stops waiting. @throws WorkerEnding
   */
  protected readonly goOn = (): void => {
    if (this.signal.reason instanceof WorkerEnding) throw this.signal.reason;
  };

  /** Notes that the present step is over, and resets the rate for the next one. */
  protected stepped(): void {
    turnMetrics.stepped(this.step, performance.now() - this.since);
    this.rows = 0;
    this.since = performance.now();
  }

  protected async flush(): Promise<void> {
    if (this.reported.size === 0) return;
    await writeCounts(this.parts.requests.database.pool, this.requestId, this.reported);
  }

  private beat(): void {
    this.renewal ??= this.renew()
      .catch((error: Error) => {
        this.parts.log.warn(`The lease of an import was not renewed: ${error.message}`);
        if (performance.now() - this.renewedAt > this.parts.requests.settings.leaseMs * 0.9)
          this.abort(new LeaseLost());
      })
      .finally(() => {
        this.renewal = undefined;
      });
  }

  private async renew(): Promise<void> {
    const at = performance.now();
    const rate = this.rows > 0 ? Math.round((this.rows * 1000) / (at - this.since)) : undefined;
    const isUnwanted = await this.parts.requests.renew(this.requestId, this.worker, rate);
    if (isUnwanted === undefined) return this.abort(new LeaseLost());
    if (isUnwanted) return this.abort(new ImportCancelled());
    await this.flush();
    this.renewedAt = at;
  }
}
