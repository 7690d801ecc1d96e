import { Injectable } from '@nestjs/common';
import { DomainError } from '#kernel/errors';
import { Tenants } from '#platform/auth/tenants';
import { WriteDatabase } from '#platform/database';
import { operatorContext } from '#practice/tenants/operator.lookup';
import {
  CancelImport,
  CancelImportHandler,
  PromoteImport,
  PromoteImportHandler,
  QueueImport,
  QueueImportHandler,
} from './api/import.commands';
import { GetImport, GetImportHandler } from './api/import.queries';
import type { ImportView } from './api/import.views';
import { type ImportStatus, live, promotable, requestIdOf } from './requests/import-request';

/** The number of findings of a kind. */
export interface FindingCount {
  severity: 'error' | 'warning';
  code: string;
  table: string;
  count: number;
}

/** Imports for the operator's command line. */
@Injectable()
export class OperatorImports {
  constructor(
    private readonly tenants: Tenants,
    private readonly database: WriteDatabase,
    private readonly queueing: QueueImportHandler,
    private readonly promoting: PromoteImportHandler,
    private readonly cancelling: CancelImportHandler,
    private readonly reading: GetImportHandler,
  ) {}

  /** Queues an import. @returns its id. @throws DomainError `tenant_not_found`, and the errors of the route */
  async queue(alias: string, connectionString: string): Promise<string> {
    const context = operatorContext(await this.tenants.get(alias));
    const { body } = await this.queueing.execute(new QueueImport(context, connectionString));
    return (body as { requestId: string }).requestId;
  }

  /**
   * Requests the promotion of an import.
   * @param requestId default: the tenant's import that can be promoted; if none can be, the one that changed last, so that
   *   the operator learns why, or that a promotion was requested already
   * @returns the import's id
   * @throws DomainError `tenant_not_found`, `not_found`, and the errors of the route
   */
  async promote(alias: string, requestId?: string): Promise<string> {
    const tenant = await this.tenants.get(alias);
    const id = requestIdOf(requestId ?? (await this.last(tenant.id, promotable)));
    await this.promoting.execute(new PromoteImport(operatorContext(tenant), id));
    return id;
  }

  /**
   * The status of an import.
   * @param requestId default: the tenant's import that is under way, otherwise the one that changed last
   * @throws DomainError `tenant_not_found`, `not_found`
   */
  async status(alias: string, requestId?: string): Promise<ImportView> {
    const tenant = await this.tenants.get(alias);
    const id = requestId ?? (await this.last(tenant.id, live));
    const { body } = await this.reading.execute(new GetImport(operatorContext(tenant), requestIdOf(id)));
    return body as ImportView;
  }

  /**
   * Cancels an import.
   * @param requestId default: the tenant's import that is under way, otherwise the one that can be promoted; if there is
   *   neither, the one that changed last
   * @throws DomainError `tenant_not_found`, `not_found`, `promotion_in_progress`, `import_promoted`
   */
  async cancel(alias: string, requestId?: string): Promise<{ message: string; requestId: string }> {
    const tenant = await this.tenants.get(alias);
    const id = requestIdOf(requestId ?? (await this.last(tenant.id, [...live, ...promotable])));
    const { body } = await this.cancelling.execute(new CancelImport(operatorContext(tenant), id));
    return body as { message: string; requestId: string };
  }

  /** The number of findings by kind, the most frequent kind first. */
  async findings(requestId: string): Promise<FindingCount[]> {
    const { rows } = await this.database.pool.query<FindingCount>(
      `select severity, code, table_name as "table", count(*)::int as count from import.findings
       where request_id = $1 group by 1, 2, 3 order by 1, 4 desc, 2, 3`,
      [requestId],
    );
    return rows;
  }

  /**
   * The id of the tenant's import that changed last.
   * @param first states that are preferred: `promotable` ones only as long as the staged rows are kept
   */
  private async last(tenantId: number, first: readonly ImportStatus[]): Promise<string> {
    const { rows } = await this.database.pool.query<{ id: string }>(
      `select id from import.requests where tenant_id = $1
       order by (status = any($2) and (is_kept or status <> all($3))) desc, updated_at desc limit 1`,
      [tenantId, first, promotable],
    );
    if (rows.length === 0) throw new DomainError('not_found', 'not_found', 'The tenant has no import.');
    return rows[0].id;
  }
}
