import { Injectable } from '@nestjs/common';
import { LRUCache } from 'lru-cache';
import { Clock } from '#kernel/clock';
import { Secrets } from '#platform/secrets';
import { eventOfName } from '../events/event-catalogue';
import { nextAttempt, readRetryAfter } from '../protocol/schedule';
import { parseSecret, type Secret } from '../protocol/secret';
import { type Outcome, Sender } from '../protocol/sender';
import { signedHeaders } from '../protocol/signature';
import { DeliveryState, messageId } from '../queue/delivery';
import { bodyOf } from './bodies/body';
import { DeliverySettings } from './delivery-settings';
import type { Item } from './lanes/lane';
import type { LaneConfig } from './lanes/lane-config';
import type { Finished } from './outcomes';

/** The HTTP status by which a receiver says that it wants no more deliveries. */
export const GONE = 410;

/** Makes one attempt of a delivery. */
@Injectable()
export class Attempt {
  /** Opened secrets, keyed by their sealed text. */
  private readonly opened = new LRUCache<string, Secret>({ max: 2_000, ttl: 60_000 });

  constructor(
    private readonly sender: Sender,
    private readonly secrets: Secrets,
    private readonly clock: Clock,
    private readonly settings: DeliverySettings,
  ) {}

  async send(item: Item): Promise<Finished> {
    const { delivery, lane } = item;
    const { config } = lane;
    const at = this.clock.now();
    const { permission } = eventOfName(delivery.type) ?? {};
    if (permission !== undefined && !config.permissions.includes(permission)) {
      const detail = `The integration that changed this webhook last, or its token then, has no permission ${permission}.`;
      return this.finished(item, config, at, { error: 'permission_denied', detail, milliseconds: 0 }, true);
    }
    const message = {
      id: messageId(delivery.event_id),
      requestId: delivery.request_id,
      tenantAlias: config.alias,
      at,
      body: bodyOf(item),
    };
    // The record's text is long, and the receiver may take its time to answer: the text is not kept meanwhile.
    item.record = undefined;
    const headers = signedHeaders(message, this.secretsOf(config, at));
    const outcome = await this.sender.send(config.url, headers, message.body, lane.key);
    return this.finished(item, config, at, outcome);
  }

  /**
   * @param config the endpoint's settings when the delivery was sent
   * @param isLast no further attempt is made, whatever the schedule says
   */
  private finished(
    item: Item,
    { url, created_at: registeredAt }: LaneConfig,
    at: Date,
    outcome: Outcome,
    isLast = false,
  ): Finished {
    const { status, error, detail, response, retryAfter, milliseconds, address } = outcome;
    const succeeded = error === undefined && status !== undefined && status >= 200 && status < 300;
    const failures = item.delivery.failures + (succeeded ? 0 : 1);
    const now = this.clock.now();
    const due =
      succeeded || isLast
        ? undefined
        : nextAttempt(failures, now, this.settings.random, readRetryAfter(retryAfter, now));
    const isOver = status === GONE || !due;
    return {
      item,
      url,
      registeredAt,
      at,
      milliseconds,
      status,
      error: error ?? (succeeded ? undefined : 'status'),
      detail,
      response,
      address,
      state: succeeded ? DeliveryState.Delivered : isOver ? DeliveryState.Failed : DeliveryState.Pending,
      failures,
      due_at: due,
    };
  }

  /** The secrets that sign, newest first. */
  private secretsOf({ secret, former_secrets }: LaneConfig, now: Date): Secret[] {
    const former = former_secrets.filter(({ until }) => new Date(until) > now);
    return [secret, ...former.map((each) => each.secret)].map((sealed) => this.open(sealed));
  }

  private open(sealed: string): Secret {
    const known = this.opened.get(sealed);
    if (known) return known;
    const secret = parseSecret(this.secrets.open(sealed));
    this.opened.set(sealed, secret);
    return secret;
  }
}
