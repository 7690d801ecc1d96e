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
import { type ImportStatus, promotable, requestIdOf } from './requests/import-request';

/** How many findings of a kind there are. */
export interface FindingCount {
  severity: 'error' | 'warning';
  code: string;
  table: string;
  count: number;
}

/** Imports, as the operator's command line asks for them. */
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

  /** @returns its id. @throws DomainError `tenant_not_found`, and what the route refuses */
  async queue(alias: string, connectionString: string): Promise<string> {
    const context = operatorContext(await this.tenants.get(alias));
    const { body } = await this.queueing.execute(new QueueImport(context, connectionString));
    return (body as { requestId: string }).requestId;
  }

  /**
   * @param requestId default: the last of the tenant that can be promoted; the last of all where none can be, so that
   *   whoever asks hears why, or of a promotion that was asked for already
   * @returns its id
   * @throws DomainError `tenant_not_found`, `not_found`, and what the route refuses
   */
  async promote(alias: string, requestId?: string): Promise<string> {
    const tenant = await this.tenants.get(alias);
    const id = requestIdOf(requestId ?? (await this.last(tenant.id, promotable)));
    await this.promoting.execute(new PromoteImport(operatorContext(tenant), id));
    return id;
  }

  /** @param requestId default: the last of the tenant. @throws DomainError `tenant_not_found`, `not_found` */
  async status(alias: string, requestId?: string): Promise<ImportView> {
    const tenant = await this.tenants.get(alias);
    const id = requestId ?? (await this.last(tenant.id));
    const { body } = await this.reading.execute(new GetImport(operatorContext(tenant), requestIdOf(id)));
    return body as ImportView;
  }

  /** @throws DomainError `tenant_not_found`, `not_found`, `promotion_in_progress`, `import_promoted` */
  async cancel(alias: string, requestId?: string): Promise<{ message: string; requestId: string }> {
    const tenant = await this.tenants.get(alias);
    const id = requestIdOf(requestId ?? (await this.last(tenant.id)));
    const { body } = await this.cancelling.execute(new CancelImport(operatorContext(tenant), id));
    return body as { message: string; requestId: string };
  }

  /** What was found, by kind, the most first. */
  async findings(requestId: string): Promise<FindingCount[]> {
    const { rows } = await this.database.pool.query<FindingCount>(
      `select severity, code, table_name as "table", count(*)::int as count from import.findings
       where request_id = $1 group by 1, 2, 3 order by 1, 4 desc, 2, 3`,
      [requestId],
    );
    return rows;
  }

  /** @param first the last that is kept in one of these goes before all others */
  private async last(tenantId: number, first: readonly ImportStatus[] = []): Promise<string> {
    const { rows } = await this.database.pool.query<{ id: string }>(
      `select id from import.requests where tenant_id = $1
       order by (is_kept and status = any($2)) desc, queued_at desc limit 1`,
      [tenantId, first],
    );
    if (rows.length === 0) throw new DomainError('not_found', 'not_found', 'The tenant has no import.');
    return rows[0].id;
  }
}
