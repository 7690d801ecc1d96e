import { Injectable } from '@nestjs/common';
import { Clock } from '#kernel/clock';
import { WriteDatabase } from '#platform/database';
import { RepeatableRequests } from '#platform/http/repeatable-requests';
import { Secrets } from '#platform/secrets';

/** Carries out requests that change webhooks. */
@Injectable()
export class WebhookRequests extends RepeatableRequests {
  constructor(database: WriteDatabase, secrets: Secrets, clock: Clock) {
    super('webhooks.repeats', database, secrets, clock);
  }
}
