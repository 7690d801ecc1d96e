import type { Logger } from '@nestjs/common';
import type { RegisteredTenant } from '#platform/auth/tenants';
import type { WriteDatabase } from '#platform/database';
import type { ImportSettings } from '../connection/import-settings';
import type { ImportRun, TableCounts } from '../import-run';
import { StagingArea } from '../staging/staging-area';
import { WorkerEnding } from './import-request';
import { writeCounts } from './import-tables';
import { Lease } from './lease';

export interface TurnParts<Requests> {
  worker: string;
  requests: Requests;
  database: WriteDatabase;
  settings: ImportSettings;
  log: Logger;
}

/** A worker's turn at a request. While it lasts it renews the lease and reports progress. */
export abstract class Turn<Requests = unknown> implements ImportRun {
  readonly staging: StagingArea;
  private readonly lease: Lease;
  private readonly reported = new Map<string, Partial<TableCounts>>();
  private rows = 0;
  private since = performance.now();

  constructor(
    readonly requestId: string,
    readonly tenant: RegisteredTenant,
    protected readonly parts: TurnParts<Requests>,
  ) {
    this.staging = new StagingArea(requestId);
    this.lease = new Lease({ ...parts, renew: () => this.renew() });
  }

  get signal(): AbortSignal {
    return this.lease.signal;
  }

  get worker(): string {
    return this.parts.worker;
  }

  /** Makes the work on the request stop. */
  abort(reason: Error): void {
    this.lease.abort(reason);
  }

  report(table: string, counts: Partial<TableCounts>): void {
    const before = this.reported.get(table) ?? {};
    this.worked(Math.max(0, (counts.loaded ?? 0) - (before.loaded ?? 0)));
    this.reported.set(table, { ...before, ...counts });
  }

  /** Adds to the number of rows that this step has processed. */
  worked(rows: number): void {
    this.rows += rows;
  }

  /** Whether the request's cancellation is requested. A promotion cannot be cancelled once its first record is appended. */
  async isUnwanted(): Promise<boolean> {
    return (await this.renewLease(undefined)) === true;
  }

  /** Stops renewing the lease. */
  close(): Promise<void> {
    return this.lease.close();
  }

  /** @returns whether the request's cancellation is requested; undefined when another worker holds the request */
  protected abstract renewLease(rowsPerSecond: number | undefined): Promise<boolean | undefined>;

  /**
   * Called while the end of a request waits for a lock: a worker that shuts down stops waiting. @throws WorkerEnding
   */
  protected readonly goOn = (): void => {
    if (this.signal.reason instanceof WorkerEnding) throw this.signal.reason;
  };

  /** Resets the rate, as another step begins. */
  protected begun(): void {
    this.rows = 0;
    this.since = performance.now();
  }

  protected async flush(): Promise<void> {
    if (this.reported.size === 0) return;
    await writeCounts(this.parts.database.pool, this.requestId, this.reported);
  }

  private async renew(): Promise<boolean | undefined> {
    const seconds = (performance.now() - this.since) / 1000;
    const pace = this.rows > 0 ? Math.round(this.rows / seconds) : undefined;
    const isUnwanted = await this.renewLease(pace);
    if (isUnwanted === false) await this.flush();
    return isUnwanted;
  }
}
