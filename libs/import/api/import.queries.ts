import { type IQueryHandler, QueryHandler } from '@nestjs/cqrs';
import { notFound } from '#kernel/errors';
import { WriteDatabase } from '#platform/database';
import { Reply } from '#platform/http/reply';
import type { RequestContext } from '#platform/request-context';
import { stagingAlias } from '../loading/staging-tenants';
import type { RequestRow } from '../requests/import-request';
import { importView, type TableView } from './import.views';

export class GetImport {
  constructor(
    readonly context: RequestContext,
    readonly requestId: string,
  ) {}
}

@QueryHandler(GetImport)
export class GetImportHandler implements IQueryHandler<GetImport> {
  constructor(private readonly database: WriteDatabase) {}

  /**
   * Reads the status from the write database, so that no read model has to catch up first. @throws DomainError
   * `not_found`
   */
  async execute({ context: { tenant }, requestId }: GetImport): Promise<Reply> {
    const [{ rows }, tables] = await Promise.all([
      this.database.pool.query<RequestRow>(
        `select r.id, r.kind, r.status, r.message, r.schema_version, r.errors, r.warnings,
           r.rows_per_second, r.is_kept, r.queued_at, r.started_at, r.updated_at, r.finished_at, s.alias as staging_alias
         from import.requests r
         -- One that was retired has another alias, at which nobody reads.
         left join platform.tenants s on s.id = r.staging_tenant_id and s.alias = $3
         where r.id = $1 and r.tenant_id = $2`,
        [requestId, tenant.id, stagingAlias(tenant.alias)],
      ),
      this.database.pool.query<TableView>(
        `select t.name, t.total::float8 as total, t.read::float8 as read, t.valid::float8 as valid,
           t.rejected::float8 as rejected, t.loaded::float8 as loaded
         from import.tables t join import.requests r on r.id = t.request_id
         where r.id = $1 and r.tenant_id = $2 order by t.name`,
        [requestId, tenant.id],
      ),
    ]);
    if (rows.length === 0) throw notFound('import');
    return new Reply(200, importView(rows[0], tables.rows, tenant.alias));
  }
}
