import { Injectable } from '@nestjs/common';
import type { ClientBase, Pool } from 'pg';
import { DomainError } from '#kernel/errors';
import { WriteDatabase } from '#platform/database';
import { lockTenant } from './locks';

/** The reason why commands of a tenant are refused, which is also the error code. */
export type ClosedReason = 'promotion_in_progress';

const DETAILS: Record<ClosedReason, string> = {
  promotion_in_progress: 'An import is being promoted to this tenant; nothing was changed. Try again later.',
};
const RETRY_SECONDS = 30;
/** Shorter than the 15 s after which the server ends a transaction without a statement. */
const ASK_EVERY_MS = 3_000;

/** The error 503 with Retry-After: the tenant takes no commands for a while. */
export function tenantClosed(reason: ClosedReason): DomainError {
  const headers = { 'Retry-After': String(RETRY_SECONDS) };
  return new DomainError('unavailable', reason, DETAILS[reason], [], headers);
}

/**
 * Tenants whose commands are refused for a while. Bulk appends are not refused: the process that closed the tenant
 * writes with them. The state is in the database, so all processes refuse commands, even after the process that closed
 * the tenant has died.
 */
@Injectable()
export class ClosedTenants {
  constructor(private readonly database: WriteDatabase) {}

  /**
   * Closes a tenant. Once this has returned (with a client: once its transaction is committed) no command appends to
   * the tenant; commands in progress have been committed or are refused. Closing it again changes nothing.
   * @param client a client in a transaction that holds no lock that an append waits for
   */
  async close(tenantId: number, reason: ClosedReason, client?: ClientBase): Promise<void> {
    if (!client) return this.database.transaction((own) => this.close(tenantId, reason, own));
    await lockTenant(client, tenantId);
    await client.query(
      'insert into event_store.closed_tenants (tenant_id, reason) values ($1, $2) on conflict do nothing',
      [tenantId, reason],
    );
  }

  /** Opens a tenant to commands again. Opening an open tenant changes nothing. */
  async open(tenantId: number, client?: ClientBase): Promise<void> {
    await (client ?? this.database.pool).query(
      'delete from event_store.closed_tenants where tenant_id = $1',
      [tenantId],
    );
  }

  /**
   * Opens the tenant when nothing needs it closed any more.
   * @param isOver whether that is so; nobody else can close the tenant until its answer has been acted on, however long
   * that takes
   */
  async openIf(
    tenantId: number,
    isOver: (client: ClientBase) => Promise<boolean>,
    askEveryMs = ASK_EVERY_MS,
  ): Promise<void> {
    await this.database.transaction(async (client) => {
      await lockTenant(client, tenantId);
      // Keeps the server from ending an idle transaction. The open transaction blocks no reader, because it has written
      // nothing.
      const asking = setInterval(() => client.query('select').catch(() => undefined), askEveryMs);
      const over = await isOver(client).finally(() => clearInterval(asking));
      if (over) await this.open(tenantId, client);
    });
  }

  async isClosed(tenantId: number): Promise<boolean> {
    return (await this.reason(tenantId, this.database.pool)) !== undefined;
  }

  /**
   * Refuses a closed tenant. For changes outside of the event store, and for requests with costly work before their
   * command.
   * @throws DomainError `promotion_in_progress`
   */
  async requireOpen(tenantId: number, client?: ClientBase): Promise<void> {
    const reason = await this.reason(tenantId, client ?? this.database.pool);
    if (reason) throw tenantClosed(reason);
  }

  private async reason(tenantId: number, client: ClientBase | Pool): Promise<ClosedReason | undefined> {
    const { rows } = await client.query<{ reason: ClosedReason }>({
      name: 'event_store.closed_reason',
      text: 'select reason from event_store.closed_tenants where tenant_id = $1',
      values: [tenantId],
    });
    return rows[0]?.reason;
  }
}
