import { Injectable } from '@nestjs/common';
import type { PoolClient } from 'pg';
import { ClosedTenants } from '#event-store/closed-tenants';
import { Clock } from '#kernel/clock';
import { toUuid } from '#kernel/ids';
import { WriteDatabase } from '#platform/database';
import { RepeatableRequests, sealedRepeats } from '#platform/http/repeatable-requests';
import type { RequestContext } from '#platform/request-context';
import { Secrets } from '#platform/secrets';
import { dropWaiting, failWaiting, PART } from './queue/delivery';

const TABLE = 'webhooks.repeats';

export const sealedWebhookRepeats = sealedRepeats(TABLE);

/** Carries out requests that change webhooks. */
@Injectable()
export class WebhookRequests extends RepeatableRequests {
  constructor(
    private readonly writes: WriteDatabase,
    secrets: Secrets,
    private readonly time: Clock,
    private readonly closed: ClosedTenants,
  ) {
    super(TABLE, writes, secrets, time);
  }

  /** @throws DomainError `promotion_in_progress` */
  protected override admit(client: PoolClient, { tenant }: RequestContext): Promise<void> {
    return this.closed.requireOpen(tenant.id, client);
  }

  /**
   * Ends what waits for a webhook that is disabled or removed, before a request enables it or registers it again. Each
   * part is a short transaction: while that of the request lasts, no reader of the feed sees what is committed
   * meanwhile, and a long queue takes seconds. What is ended here would be ended within minutes anyway.
   */
  async endWaiting(context: RequestContext, id: string): Promise<void> {
    await context.admitted;
    const { pool } = this.writes;
    const webhook = { tenant_id: context.tenant.id, webhook_id: toUuid(id) };
    while ((await failWaiting(pool, webhook, this.time.now(), 'some')) === PART);
    while ((await dropWaiting(pool, webhook, 'some')) === PART);
  }
}
