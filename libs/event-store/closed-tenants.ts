import { Injectable } from '@nestjs/common';
import type { ClientBase, Pool } from 'pg';
import { DomainError } from '#kernel/errors';
import { WriteDatabase } from '#platform/database';
import { tenantClaim } from './claims';

/** Why the commands of a tenant are refused; the code of the refusal. */
export type ClosedReason = 'promotion_in_progress';

const DETAILS: Record<ClosedReason, string> = {
  promotion_in_progress: 'An import is being promoted to this tenant; nothing was changed. Try again later.',
};
const RETRY_SECONDS = 30;
/** Less than what a transaction that writes may stand still. */
const ASK_EVERY_MS = 3_000;

/** 503 with Retry-After: the tenant takes no commands for a while. */
export function tenantClosed(reason: ClosedReason): DomainError {
  const headers = { 'Retry-After': String(RETRY_SECONDS) };
  return new DomainError('unavailable', reason, DETAILS[reason], [], headers);
}

/**
 * Tenants whose commands are refused for a while. A bulk append is not: whoever closed the tenant writes by it. It is
 * kept in the database: all processes refuse, and go on refusing after whoever closed the tenant has died.
 */
@Injectable()
export class ClosedTenants {
  constructor(private readonly database: WriteDatabase) {}

  /**
   * Once this has returned (with a client: once its transaction has been committed) no command appends anything to the
   * tenant; those that were under way have been committed or are refused. Again changes nothing.
   * @param client in a transaction that has not locked what an append waits for
   */
  async close(tenantId: number, reason: ClosedReason, client?: ClientBase): Promise<void> {
    if (!client) return this.database.transaction((own) => this.close(tenantId, reason, own));
    await client.query('select pg_advisory_xact_lock($1)', [tenantClaim(tenantId)]);
    await client.query(
      'insert into event_store.closed_tenants (tenant_id, reason) values ($1, $2) on conflict do nothing',
      [tenantId, reason],
    );
  }

  /** Commands go on; of a tenant that is open already nothing changes. */
  async open(tenantId: number, client?: ClientBase): Promise<void> {
    await (client ?? this.database.pool).query(
      'delete from event_store.closed_tenants where tenant_id = $1',
      [tenantId],
    );
  }

  /**
   * Opens the tenant when nobody wants it closed any more.
   * @param isOver nobody closes the tenant between this question and what comes of the answer, however long that takes
   */
  async openIf(
    tenantId: number,
    isOver: (client: ClientBase) => Promise<boolean>,
    askEveryMs = ASK_EVERY_MS,
  ): Promise<void> {
    await this.database.transaction(async (client) => {
      await client.query('select pg_advisory_xact_lock($1)', [tenantClaim(tenantId)]);
      // The server would give up a transaction of which it hears nothing. It holds nobody up: nothing is written yet.
      const asking = setInterval(() => client.query('select').catch(() => undefined), askEveryMs);
      const over = await isOver(client).finally(() => clearInterval(asking));
      if (over) await this.open(tenantId, client);
    });
  }

  async isClosed(tenantId: number): Promise<boolean> {
    return (await this.reason(tenantId, this.database.pool)) !== undefined;
  }

  /**
   * For what a request changes beside the event store, and for what is costly before it comes to its command.
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
