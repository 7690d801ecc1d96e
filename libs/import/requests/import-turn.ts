import type { Logger } from '@nestjs/common';
import type { RegisteredTenant } from '#platform/auth/tenants';
import type { WriteDatabase } from '#platform/database';
import type { ImportSettings } from '../connection/import-settings';
import type { ImportRun, TableCounts } from '../import-run';
import { StagingArea } from '../staging/staging-area';
import type { Outcome, Step } from './import-request';
import type { ImportRequests, Taken, TakenRequest } from './import-requests';
import { writeCounts } from './import-tables';
import { Lease } from './lease';

interface Parts {
  worker: string;
  requests: ImportRequests;
  database: WriteDatabase;
  settings: ImportSettings;
  log: Logger;
}

/** A worker's turn at an import, from its lease to its end. It keeps the lease while it lasts. */
export class ImportTurn implements ImportRun {
  readonly requestId: string;
  readonly tenant: RegisteredTenant;
  readonly request: TakenRequest;
  readonly staging: StagingArea;
  readonly deaths: number;
  private readonly lease: Lease;
  private readonly reported = new Map<string, Partial<TableCounts>>();
  private step: Step;
  private rows = 0;
  private since = performance.now();

  constructor(
    { request, tenant, deaths }: Taken,
    private readonly parts: Parts,
  ) {
    this.requestId = request.id;
    this.tenant = tenant;
    this.request = request;
    this.step = request.status;
    this.deaths = deaths;
    this.staging = new StagingArea(request.id);
    this.lease = new Lease({ ...parts, renew: () => this.renew() });
  }

  get signal(): AbortSignal {
    return this.lease.signal;
  }

  get status(): Step {
    return this.step;
  }

  get worker(): string {
    return this.parts.worker;
  }

  /** Whoever works on it stops. */
  abort(reason: Error): void {
    this.lease.abort(reason);
  }

  report(table: string, counts: Partial<TableCounts>): void {
    const before = this.reported.get(table) ?? {};
    this.worked(Math.max(0, (counts.loaded ?? 0) - (before.loaded ?? 0)));
    this.reported.set(table, { ...before, ...counts });
  }

  /** So many rows more were done in this step. */
  worked(rows: number): void {
    this.rows += rows;
  }

  /** @throws LeaseLost, or why the work is to stop */
  async advance(from: readonly Step[], to: Step): Promise<void> {
    this.signal.throwIfAborted();
    await this.flush();
    await this.parts.requests.advance(this.requestId, this.worker, from, to);
    this.step = to;
    this.rows = 0;
    this.since = performance.now();
  }

  async end(outcome: Outcome, message: string): Promise<void> {
    await this.flush();
    await this.parts.requests.end(this.requestId, this.worker, outcome, message);
  }

  /** Renews nothing any more. */
  close(): Promise<void> {
    return this.lease.close();
  }

  private async renew(): Promise<boolean | undefined> {
    const seconds = (performance.now() - this.since) / 1000;
    const pace = this.rows > 0 ? Math.round(this.rows / seconds) : undefined;
    const isUnwanted = await this.parts.requests.renew(this.requestId, this.worker, pace);
    if (isUnwanted === false) await this.flush();
    return isUnwanted;
  }

  private async flush(): Promise<void> {
    if (this.reported.size === 0) return;
    await writeCounts(this.parts.database.pool, this.requestId, this.reported);
  }
}
