import { Injectable } from '@nestjs/common';
import type { PoolClient } from 'pg';
import { v7 } from 'uuid';
import { Clock } from '#kernel/clock';
import { WriteDatabase } from '#platform/database';
import { type EventName, notices } from '../events/event-catalogue';
import { type EndpointRef, endpointKey, failWaiting, type Message, queueMessages } from '../queue/delivery';
import { SUBSCRIBED, type Subscribed } from '../queue/fan-out';
import { QueueSignal } from '../queue/queue-signal';

const HOUR_MS = 3_600_000;
/** How long a receiver must have failed, without a success, for the first warning, the second, and the disabling. */
const WARNED_AFTER_MS = [24 * HOUR_MS, 72 * HOUR_MS];
const DISABLED_AFTER_MS = 120 * HOUR_MS;

/** The fields of a webhook that change when it is disabled. */
export const DISABLING = ['disabledOn', 'disabledReason', 'enabled'];

/** A receiver as it was addressed. By now the webhook may be another registration of the id, or have another URL. */
export type Asked = EndpointRef & { created_at: Date; url: string };

type Failing = Asked & { failing_since: Date };

/** Warns of receivers that no longer answer, and disables webhooks whose receiver has not answered for long. */
@Injectable()
export class FailureWatch {
  constructor(
    private readonly database: WriteDatabase,
    private readonly signal: QueueSignal,
    private readonly clock: Clock,
  ) {}

  /** Disables a webhook whose receiver answered that it wants no more deliveries. */
  gone(asked: Asked): Promise<void> {
    return this.disable(asked, 'gone');
  }

  /**
   * Looks at all failing webhooks. Their time runs whether or not there is something to send, except while they are
   * paused.
   */
  async sweep(): Promise<void> {
    const now = this.clock.now().getTime();
    const before = (ms: number) => new Date(now - ms);
    const { rows } = await this.database.pool.query<Failing>(
      `select l.tenant_id, l.webhook_id, l.failing_since, e.created_at, e.url
       from webhooks.lanes l join webhooks.endpoints e on e.tenant_id = l.tenant_id and e.id = l.webhook_id
       where e.enabled and not e.paused
         and l.failing_since <= case l.warnings when 0 then $1::timestamptz when 1 then $2 else $3 end`,
      [before(WARNED_AFTER_MS[0]), before(WARNED_AFTER_MS[1]), before(DISABLED_AFTER_MS)],
    );
    for (const lane of rows) {
      const failingMs = now - lane.failing_since.getTime();
      if (failingMs >= DISABLED_AFTER_MS) await this.disable(lane, 'failing', lane.failing_since);
      else await this.warn(lane, WARNED_AFTER_MS.filter((after) => failingMs >= after).length);
    }
  }

  private async warn(lane: Failing, warnings: number): Promise<void> {
    await this.change(notices.failing, lane, (client) =>
      client.query(
        `update webhooks.lanes set warnings = $3
         where tenant_id = $1 and webhook_id = $2 and warnings < $3 and failing_since = $4`,
        [lane.tenant_id, lane.webhook_id, warnings, lane.failing_since],
      ),
    );
  }

  /** @param failingSince if given, the webhook is disabled only if it has failed without a break since then */
  private async disable(asked: Asked, reason: 'gone' | 'failing', failingSince?: Date): Promise<void> {
    const { tenant_id, webhook_id, created_at, url } = asked;
    await this.change(notices.disabled, asked, async (client, now) => {
      const disabled = await client.query(
        `update webhooks.endpoints set enabled = false, disabled_at = $3, disabled_reason = $4,
           version = version + 1, updated_at = $3, updated_by = 'service'
         where tenant_id = $1 and id = $2 and enabled and created_at = $5 and url = $6
           and ($7::timestamptz is null or exists (select from webhooks.lanes
             where tenant_id = $1 and webhook_id = $2 and failing_since = $7))`,
        [tenant_id, webhook_id, now, reason, created_at, url, failingSince],
      );
      if (disabled.rowCount === 1) await failWaiting(client, asked, now, 'some');
      return disabled;
    });
    this.signal.changed(endpointKey(asked));
  }

  /**
   * Makes a change and queues its notices in one transaction. No notice is queued when another worker has made the
   * change.
   */
  private async change(
    event: EventName,
    lane: EndpointRef,
    make: (client: PoolClient, now: Date) => Promise<{ rowCount: number | null }>,
  ): Promise<void> {
    const now = this.clock.now();
    const told = await this.database.transaction(async (client) => {
      if ((await make(client, now)).rowCount !== 1) return [];
      const messages = await this.noticesOf(client, event, lane, now);
      await queueMessages(client, messages, now);
      return messages;
    });
    this.signal.queued(told.map(endpointKey));
  }

  /** Notices to all other webhooks of the tenant whose integration may read webhooks, whatever they subscribe to. */
  private async noticesOf(
    client: PoolClient,
    event: EventName,
    { tenant_id, webhook_id }: EndpointRef,
    now: Date,
  ): Promise<Message[]> {
    const { rows } = await client.query<Subscribed & { version: number }>(
      `select s.*, (select version from webhooks.endpoints where tenant_id = $1 and id = $2) as version
       from (${SUBSCRIBED} and e.tenant_id = $1 and e.id <> $2) s where $3 = any(s.permissions)`,
      [tenant_id, webhook_id, event.permission],
    );
    const event_id = v7();
    return rows.map(({ id, version }) =>
      notice(event, { tenant_id, webhook_id: id, event_id, subject: webhook_id, version }, now),
    );
  }
}

/** A message about a webhook itself, which is no event of the store. */
export function notice(
  event: EventName,
  to: Pick<Message, 'tenant_id' | 'webhook_id' | 'event_id' | 'subject' | 'version'>,
  now: Date,
  source = 'service',
): Message {
  return {
    ...to,
    type: event.name,
    sent_as: event.name,
    kind: event.kind,
    changed: JSON.stringify(event === notices.disabled ? DISABLING : []),
    source,
    occurred_at: now,
    at: null,
  };
}
