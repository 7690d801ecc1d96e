import { CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { v7 } from 'uuid';
import { conflict, invalid, notFound } from '#kernel/errors';
import { newId, toUuid } from '#kernel/ids';
import { requirePermission } from '#platform/auth/permission.guard';
import { Config } from '#platform/config';
import type { Change } from '#platform/http/repeatable-requests';
import { Reply } from '#platform/http/reply';
import type { RequestContext } from '#platform/request-context';
import { notice } from '../delivery/failure-watch';
import type { EndpointRow } from '../endpoints/endpoint';
import type { ReplayInput } from '../endpoints/endpoint.input';
import { addressed, endpointIn } from '../endpoints/endpoints';
import { Subscriptions } from '../endpoints/subscription';
import { notices, unreadable } from '../events/event-catalogue';
import { deliveryView } from '../log/delivery.views';
import { WebhookRequests } from '../webhook-requests';
import { type DeliveryRow, ERROR_AGAIN, queueMessages } from './delivery';
import { SUBSCRIBED } from './fan-out';
import { positionAt } from './fan-out-checkpoints';
import { QueueSignal } from './queue-signal';
import type { ReplayView } from './replay';

const DAY_MS = 86_400_000;
/**
 * Replays of one webhook that may be under way at once. A worker looks at each of them to find the next that may go on.
 */
const MOST_REPLAYS = 10;

export class TestWebhook {
  constructor(
    readonly context: RequestContext,
    readonly id: string,
  ) {}
}

export class Redeliver {
  constructor(
    readonly context: RequestContext,
    readonly id: string,
    readonly deliveryId: string,
  ) {}
}

export class ReplayWebhook {
  constructor(
    readonly context: RequestContext,
    readonly id: string,
    readonly body: ReplayInput,
  ) {}
}

/** The webhook, which must be enabled. @throws DomainError `not_found`, `version_mismatch`, `webhook_disabled` */
async function enabled(change: Change, context: RequestContext, id: string): Promise<EndpointRow> {
  const webhook = await addressed(change, context, id);
  if (!webhook.enabled) throw conflict('webhook_disabled', 'The webhook is disabled; enable it first.');
  return webhook;
}

/** 202: the delivery is sent as soon as possible. */
function queued(body: object): Reply {
  return new Reply(202, { success: true, data: body });
}

async function deliveryOf({ client }: Change, { tenant_id, id }: EndpointRow, eventId: string) {
  const { rows } = await client.query<DeliveryRow>(
    'select * from webhooks.deliveries where tenant_id = $1 and webhook_id = $2 and event_id = $3',
    [tenant_id, id, eventId],
  );
  return rows.at(0);
}

/**
 * When the oldest event happened that failed in a period. The event may be older than the period: an attempt follows
 * its event, by days when the delivery was tried for long. Undefined when no event failed.
 */
async function oldestFailed(
  { client }: Change,
  { tenant_id, id }: EndpointRow,
  since: Date,
  until: Date,
): Promise<Date | undefined> {
  const { rows } = await client.query<{ oldest: Date | null }>(
    `select min(occurred_at) as oldest from (
       select d.occurred_at, d.finished_at as at from webhooks.deliveries d
       where d.tenant_id = $1 and d.webhook_id = $2 and d.state = 2
       union all
       select d.occurred_at, a.at from webhooks.deliveries d
       join webhooks.attempts a
         on (a.tenant_id, a.webhook_id, a.event_id, a.number) = (d.tenant_id, d.webhook_id, d.event_id, d.attempts)
       where d.tenant_id = $1 and d.webhook_id = $2 and d.state = 0 and d.failures > 0) failed
     where at between $3 and $4`,
    [tenant_id, id, since, until],
  );
  return rows[0].oldest ?? undefined;
}

/** @throws DomainError `integration_revoked`: nothing is sent to the enabled webhook */
async function requireGranted({ client }: Change, { tenant_id, id }: EndpointRow): Promise<void> {
  const { rowCount } = await client.query(
    `select from (${SUBSCRIBED}) s where s.tenant_id = $1 and s.id = $2`,
    [tenant_id, id],
  );
  if (rowCount === 0)
    throw conflict(
      'integration_revoked',
      'The integration that last changed the webhook may no longer use the tenant. Change the webhook first: then it belongs to the integration that changes it.',
    );
}

/** @throws DomainError `too_many_replays` at the limit of the webhook, which the caller has locked */
async function requireRoomForReplay({ client }: Change, { tenant_id, id }: EndpointRow): Promise<void> {
  const { rowCount } = await client.query(
    'select from webhooks.replays where tenant_id = $1 and webhook_id = $2 and finished_at is null limit $3',
    [tenant_id, id, MOST_REPLAYS],
  );
  if (rowCount === MOST_REPLAYS)
    throw conflict(
      'too_many_replays',
      `At most ${MOST_REPLAYS} replays of a webhook can be under way at once. Wait until one has ended. Disabling the webhook ends all of them.`,
    );
}

@CommandHandler(TestWebhook)
export class TestWebhookHandler implements ICommandHandler<TestWebhook> {
  constructor(
    private readonly requests: WebhookRequests,
    private readonly signal: QueueSignal,
  ) {}

  /**
   * @throws DomainError `permission_denied` when the caller may not read webhooks: the message describes the webhook
   */
  async execute({ context, id }: TestWebhook): Promise<Reply> {
    requirePermission(context, notices.test.permission);
    const reply = await this.requests.execute(context, async (change) => {
      const webhook = await enabled(change, context, id);
      const { tenant_id, id: webhook_id, version } = webhook;
      const event_id = v7();
      const to = { tenant_id, webhook_id, event_id, subject: webhook_id, version };
      await queueMessages(change.client, [notice(notices.test, to, change.now, context.actor)], change.now);
      return queued(deliveryView((await deliveryOf(change, webhook, event_id))!));
    });
    this.signal.queued([endpointIn(context, id)]);
    return reply;
  }
}

@CommandHandler(Redeliver)
export class RedeliverHandler implements ICommandHandler<Redeliver> {
  constructor(
    private readonly requests: WebhookRequests,
    private readonly signal: QueueSignal,
  ) {}

  /**
   * Starts the retry schedule again; a pending delivery is due at once.
   * @throws DomainError `not_found`, also for a delivery that the token may not read
   */
  async execute({ context, id, deliveryId }: Redeliver): Promise<Reply> {
    const reply = await this.requests.execute(context, async (change) => {
      const webhook = await enabled(change, context, id);
      const eventId = toUuid(deliveryId);
      const { rows } = await change.client.query<DeliveryRow>(
        `update webhooks.deliveries d set state = 0, failures = 0, due_at = $4, finished_at = null, error = ${ERROR_AGAIN}
         where tenant_id = $1 and webhook_id = $2 and event_id = $3 and type <> all($5) returning *`,
        [webhook.tenant_id, webhook.id, eventId, change.now, unreadable(context.permissions)],
      );
      const [delivery] = rows;
      if (!delivery) throw notFound('delivery');
      return queued(deliveryView(delivery));
    });
    this.signal.queued([endpointIn(context, id)]);
    return reply;
  }
}

@CommandHandler(ReplayWebhook)
export class ReplayWebhookHandler implements ICommandHandler<ReplayWebhook> {
  constructor(
    private readonly requests: WebhookRequests,
    private readonly subscriptions: Subscriptions,
    private readonly config: Config,
  ) {}

  /**
   * @throws DomainError `permission_denied` when the caller may not read all events of the webhook;
   * `integration_revoked`, `invalid_range`, `too_many_replays`
   */
  execute({ context, id, body }: ReplayWebhook): Promise<Reply> {
    return this.requests.execute(context, async (change) => {
      const { client, now } = change;
      const webhook = await enabled(change, context, id);
      const { tenant_id, id: webhook_id, events } = webhook;
      this.subscriptions.requireReadable(context, events);
      await requireGranted(change, webhook);
      const oldest = now.getTime() - this.config.WEBHOOKS_LOG_DAYS * DAY_MS;
      const asked = new Date(body.since);
      const until = body.until == null ? now : new Date(body.until);
      if (asked >= now) throw invalid('invalid_range', 'since must be in the past.', 'since');
      if (until <= asked) throw invalid('invalid_range', 'until must be after since.', 'until');
      await requireRoomForReplay(change, webhook);
      const failed = body.mode === 'failed' ? await oldestFailed(change, webhook, asked, until) : undefined;
      const from = Math.min(asked.getTime(), failed?.getTime() ?? Infinity);
      // Nothing is left of a period that ended before the days that are kept: the replay is then empty.
      const since = new Date(Math.max(from, Math.min(oldest, until.getTime())));
      const behind = await positionAt(client, context.tenant.partition, since);
      const replayId = newId('replay');
      await client.query(
        `insert into webhooks.replays (tenant_id, webhook_id, id, since, until, mode, epoch, transaction_id, position,
           requested_at, requested_by)
         values ($1, $2, $3, $4, $5, $6, $7, $8::xid8, $9, $10, $11)`,
        [
          tenant_id,
          webhook_id,
          toUuid(replayId),
          since,
          until,
          body.mode,
          behind.epoch,
          behind.transactionId.toString(),
          behind.position.toString(),
          now,
          context.actor,
        ],
      );
      const view: ReplayView = {
        id: replayId,
        since: since.toISOString(),
        until: until.toISOString(),
        mode: body.mode,
      };
      return queued(view);
    });
  }
}

export const deliveryHandlers = [TestWebhookHandler, RedeliverHandler, ReplayWebhookHandler];
