import type { Logger } from '@nestjs/common';
import type { RegisteredTenant } from '#platform/auth/tenants';
import type { WriteDatabase } from '#platform/database';
import type { ImportSettings } from '../connection/import-settings';
import type { ImportRun, TableCounts } from '../import-run';
import { StagingArea } from '../staging/staging-area';
import { ImportCancelled, LeaseLost, type Outcome, type Step } from './import-request';
import type { ImportRequests, Taken, TakenRequest } from './import-requests';
import { writeCounts } from './import-tables';

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
  private readonly ending = new AbortController();
  private readonly timer: NodeJS.Timeout;
  private readonly reported = new Map<string, Partial<TableCounts>>();
  private step: Step;
  private renewal?: Promise<void>;
  private renewedAt = performance.now();
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
    this.timer = setInterval(() => this.beat(), parts.settings.heartbeatMs);
  }

  get signal(): AbortSignal {
    return this.ending.signal;
  }

  get status(): Step {
    return this.step;
  }

  get worker(): string {
    return this.parts.worker;
  }

  /** Whoever works on it stops. */
  abort(reason: Error): void {
    this.ending.abort(reason);
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
  async close(): Promise<void> {
    clearInterval(this.timer);
    await this.renewal;
  }

  private beat(): void {
    this.renewal ??= this.renew()
      .catch((error: Error) => {
        this.parts.log.warn(`The lease of an import was not renewed: ${error.message}`);
        if (performance.now() - this.renewedAt > this.parts.settings.leaseMs * 0.9)
          this.abort(new LeaseLost());
      })
      .finally(() => {
        this.renewal = undefined;
      });
  }

  private async renew(): Promise<void> {
    const at = performance.now();
    const seconds = (at - this.since) / 1000;
    const pace = this.rows > 0 ? Math.round(this.rows / seconds) : undefined;
    const isUnwanted = await this.parts.requests.renew(this.requestId, this.worker, pace);
    if (isUnwanted === undefined) return this.abort(new LeaseLost());
    if (isUnwanted) return this.abort(new ImportCancelled());
    this.renewedAt = at;
    await this.flush();
  }

  private async flush(): Promise<void> {
    if (this.reported.size === 0) return;
    await writeCounts(this.parts.database.pool, this.requestId, this.reported);
  }
}
