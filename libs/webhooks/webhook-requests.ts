import { Injectable } from '@nestjs/common';
import type { PoolClient } from 'pg';
import { ClosedTenants } from '#event-store/closed-tenants';
import { Clock } from '#kernel/clock';
import { WriteDatabase } from '#platform/database';
import { RepeatableRequests, sealedRepeats } from '#platform/http/repeatable-requests';
import type { RequestContext } from '#platform/request-context';
import { Secrets } from '#platform/secrets';

const TABLE = 'webhooks.repeats';

export const sealedWebhookRepeats = sealedRepeats(TABLE);

/** Carries out requests that change webhooks. */
@Injectable()
export class WebhookRequests extends RepeatableRequests {
  constructor(
    database: WriteDatabase,
    secrets: Secrets,
    clock: Clock,
    private readonly closed: ClosedTenants,
  ) {
    super(TABLE, database, secrets, clock);
  }

  /** @throws DomainError `promotion_in_progress` */
  protected override admit(client: PoolClient, { tenant }: RequestContext): Promise<void> {
    return this.closed.requireOpen(tenant.id, client);
  }
}
