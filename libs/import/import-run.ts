import type { RegisteredTenant } from '#platform/auth/tenants';
import type { StagingArea } from './staging/staging-area';

/** Rows of a table, as `GET /etl/import-status/{requestId}` shows them. */
export interface TableCounts {
  /** As the source counts them. */
  total: number;
  read: number;
  valid: number;
  rejected: number;
  loaded: number;
}

/** One worker's turn at an import, from its lease to its end. */
export interface ImportRun {
  readonly requestId: string;
  /** Whose import it is: the tenant of production. */
  readonly tenant: RegisteredTenant;
  readonly staging: StagingArea;
  /** Aborted when the lease is lost, the process ends or the import is cancelled; whoever works on it throws its reason. */
  readonly signal: AbortSignal;
  /** Sets counts of a table. Cheap: written about once a second. */
  report(table: string, counts: Partial<TableCounts>): void;
}
