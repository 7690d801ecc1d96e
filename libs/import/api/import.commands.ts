import { CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import type { ClientBase } from 'pg';
import { v7 } from 'uuid';
import { conflict, notFound } from '#kernel/errors';
import { BRIEFLY } from '#platform/database/alone';
import type { Change } from '#platform/http/repeatable-requests';
import { Reply } from '#platform/http/reply';
import type { RequestContext } from '#platform/request-context';
import { Secrets } from '#platform/secrets';
import { SourceHosts } from '../connection/source-hosts';
import { readSettings } from '../connection/source-settings';
import { withdrawStaging } from '../loading/staging-tenants';
import { PromotionRequests } from '../promotion/promotion-requests';
import type { PromotionStep } from '../promotion/promotion-run';
import { ImportRepeats } from '../requests/import-repeats';
import {
  cancelled,
  type ImportStatus,
  importInProgress,
  messages,
  type Step,
  steps,
} from '../requests/import-request';
import { StagingArea } from '../staging/staging-area';

export class QueueImport {
  constructor(
    readonly context: RequestContext,
    readonly connectionString: string,
  ) {}
}

export class CancelImport {
  constructor(
    readonly context: RequestContext,
    readonly requestId: string,
  ) {}
}

export class PromoteImport {
  constructor(
    readonly context: RequestContext,
    readonly requestId: string,
  ) {}
}

function accepted(message: string, requestId: string): Reply {
  return new Reply(202, { success: true, message, requestId });
}

@CommandHandler(QueueImport)
export class QueueImportHandler implements ICommandHandler<QueueImport> {
  constructor(
    private readonly repeats: ImportRepeats,
    private readonly hosts: SourceHosts,
    private readonly secrets: Secrets,
  ) {}

  /** @throws DomainError `invalid_connection_string`, `host_not_allowed`, `staging_tenant`, `import_in_progress` */
  execute({ context, connectionString }: QueueImport): Promise<Reply> {
    readSettings(connectionString, this.hosts);
    const sealed = this.secrets.seal(connectionString);
    return this.repeats.execute(context, async ({ client, now }) => {
      await requireNoStaging(client, context);
      const id = v7();
      const { rowCount } = await client.query(
        `insert into import.requests (id, tenant_id, message, connection, requested_by, queued_at, updated_at)
         values ($1, $2, $3, $4, $5, $6, $6) on conflict do nothing`,
        [id, context.tenant.id, messages.Queued, sealed, context.actor, now],
      );
      if (rowCount === 0) throw importInProgress();
      return accepted('Import request queued successfully.', id);
    });
  }
}

/** Refuses imports into a staging tenant: the parent's next import would put their records aside. */
async function requireNoStaging(client: ClientBase, { tenant }: RequestContext): Promise<void> {
  const { rowCount } = await client.query('select from import.requests where staging_tenant_id = $1', [
    tenant.id,
  ]);
  if (rowCount !== 0)
    throw conflict(
      'staging_tenant',
      `${tenant.alias} is a staging tenant, which only imports fill: import into the tenant itself.`,
    );
}

interface Standing {
  status: ImportStatus;
  is_kept: boolean;
  leased_by: string | null;
  promotion_step: PromotionStep | null;
}

@CommandHandler(CancelImport)
export class CancelImportHandler implements ICommandHandler<CancelImport> {
  constructor(private readonly repeats: ImportRepeats) {}

  /**
   * Cancels an import. An import that has ended otherwise is left as it is.
   * @throws DomainError `not_found`, `promotion_in_progress`, `import_promoted`
   */
  execute({ context, requestId }: CancelImport): Promise<Reply> {
    return this.repeats.execute(context, async (change) => {
      const { status, is_kept, leased_by, promotion_step } = await standing(change, context, requestId);
      if (status === 'Promoting' && promotion_step !== 'Checking')
        throw conflict('promotion_in_progress', 'The promotion has begun and can no longer be cancelled.');
      if (status === 'Promoted')
        throw conflict('import_promoted', 'The import has been promoted and can no longer be cancelled.');
      if (status === 'Promoting' || (steps.includes(status as Step) && leased_by !== null)) {
        await change.client.query('update import.requests set cancel_requested = true where id = $1', [
          requestId,
        ]);
        return accepted('Import request is being cancelled.', requestId);
      }
      if (!steps.includes(status as Step) && !is_kept)
        return accepted('Import request has ended.', requestId);
      await end(change, requestId);
      return accepted('Import request cancelled.', requestId);
    });
  }
}

async function standing({ client }: Change, { tenant }: RequestContext, id: string): Promise<Standing> {
  const { rows } = await client.query<Standing>(
    'select status, is_kept, leased_by, promotion_step from import.requests where id = $1 and tenant_id = $2 for update',
    [id, tenant.id],
  );
  if (rows.length === 0) throw notFound('import');
  return rows[0];
}

/** Ends an import that no worker holds, as cancelled. */
async function end({ client, now }: Change, id: string): Promise<void> {
  await client.query(
    `update import.requests
     set status = $3, message = $4, is_kept = false, connection = null, updated_at = $2,
       finished_at = coalesce(finished_at, $2)
     where id = $1`,
    [id, now, cancelled.outcome, cancelled.message],
  );
  // A dump may lock the staged tables for hours. The drop then fails soon, and the client is told to try again.
  await client.query(BRIEFLY);
  await new StagingArea(id).drop(client);
  await withdrawStaging(client, id);
}

@CommandHandler(PromoteImport)
export class PromoteImportHandler implements ICommandHandler<PromoteImport> {
  constructor(
    private readonly repeats: ImportRepeats,
    private readonly promotions: PromotionRequests,
  ) {}

  /** @throws DomainError `not_found`, `not_promotable`, `import_in_progress` */
  execute({ context, requestId }: PromoteImport): Promise<Reply> {
    return this.repeats.execute(context, async (change) => {
      const request = await standing(change, context, requestId);
      await this.promotions.queue(change.client, { ...request, id: requestId }, context.actor);
      return accepted('Promotion to production started.', requestId);
    });
  }
}

export const importCommandHandlers = [QueueImportHandler, CancelImportHandler, PromoteImportHandler];
