import type { Logger } from '@nestjs/common';
import type { RegisteredTenant } from '#platform/auth/tenants';
import type { WriteDatabase } from '#platform/database';
import type { ImportSettings } from '../connection/import-settings';
import type { TableCounts } from '../import-run';
import { ImportCancelled } from '../requests/import-request';
import { writeCounts } from '../requests/import-tables';
import { Lease } from '../requests/lease';
import { StagingArea } from '../staging/staging-area';
import type { PromotionRequests, TakenPromotion } from './promotion-requests';
import type { PromotionRun, PromotionStep } from './promotion-run';

interface Parts {
  worker: string;
  requests: PromotionRequests;
  database: WriteDatabase;
  settings: ImportSettings;
  log: Logger;
}

/** A worker's turn at a promotion. It keeps the lease while it lasts. */
export class PromotionTurn implements PromotionRun {
  readonly requestId: string;
  readonly requestedBy: string;
  readonly tenant: RegisteredTenant;
  readonly staging: StagingArea;
  private readonly lease: Lease;
  private readonly reported = new Map<string, Partial<TableCounts>>();
  private at: PromotionStep;
  private rows = 0;
  private since = performance.now();

  constructor(
    { requestId, requestedBy, step, tenant }: TakenPromotion,
    private readonly parts: Parts,
  ) {
    this.requestId = requestId;
    this.requestedBy = requestedBy;
    this.tenant = tenant;
    this.at = step;
    this.staging = new StagingArea(requestId);
    this.lease = new Lease({ ...parts, renew: () => this.renew() });
  }

  get signal(): AbortSignal {
    return this.lease.signal;
  }

  get step(): PromotionStep {
    return this.at;
  }

  get worker(): string {
    return this.parts.worker;
  }

  abort(reason: Error): void {
    this.lease.abort(reason);
  }

  report(table: string, counts: Partial<TableCounts>): void {
    const before = this.reported.get(table) ?? {};
    this.rows += Math.max(0, (counts.loaded ?? 0) - (before.loaded ?? 0));
    this.reported.set(table, { ...before, ...counts });
  }

  /** @throws LeaseLost; ImportCancelled in place of the second step; why the work is to stop */
  async advance(step: PromotionStep): Promise<void> {
    this.signal.throwIfAborted();
    await this.flush();
    if (!(await this.parts.requests.advance(this.requestId, this.worker, step))) throw new ImportCancelled();
    this.at = step;
    this.rows = 0;
    this.since = performance.now();
  }

  /** Renews nothing any more. */
  async close(): Promise<void> {
    await this.lease.close();
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
