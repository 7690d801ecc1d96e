import type { PoolClient } from 'pg';
import type { RegisteredTenant } from '#platform/auth/tenants';
import type { StagingArea } from './staging/staging-area';

/** The numbers of a table's rows that the steps after the extraction report. */
export interface TableCounts {
  valid: number;
  rejected: number;
  loaded: number;
}

/** A worker's turn at an import, from taking the lease to giving it up. */
export interface ImportRun {
  readonly requestId: string;
  /** The production tenant whose import it is. */
  readonly tenant: RegisteredTenant;
  /** Who requested it: the actor of its events. */
  readonly requestedBy: string;
  readonly staging: StagingArea;
  /** Aborted when the lease is lost, the process ends or the import is cancelled. The work must then throw its reason. */
  readonly signal: AbortSignal;
  /** Sets counts of a table. Calls are cheap: the counts are written about once a second. */
  report(table: string, counts: Partial<TableCounts>): void;
  /**
   * Runs `work` in a transaction during which no other worker can take the import over.
   * @throws LeaseLost when another worker has taken it over
   */
  owning<Result>(work: (client: PoolClient) => Promise<Result>): Promise<Result>;
}
