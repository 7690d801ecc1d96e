import { Injectable } from '@nestjs/common';
import { invalid } from '#kernel/errors';
import { requirePermission } from '#platform/auth/permission.guard';
import { Config } from '#platform/config';
import type { RequestContext } from '#platform/request-context';
import { Secrets } from '#platform/secrets';
import { eventsMeant } from '../events/event-catalogue';
import { generateSecret, keyOf, parseSecret } from '../protocol/secret';
import { type TargetRules, Targets } from '../protocol/target';
import type { WebhookInput, WebhookPatch } from './endpoint.input';
import type { Settable } from './endpoints';

/** The rules of this deployment on where deliveries may go. */
export function targetRulesOf(config: Config): TargetRules {
  return {
    allowInsecure: config.WEBHOOKS_ALLOW_INSECURE === 'true',
    allowed: config.WEBHOOKS_ALLOWED?.split(',') ?? [],
    development: config.NODE_ENV !== 'production',
  };
}

/** Checks the fields of requests about webhooks. */
@Injectable()
export class Subscriptions {
  private readonly targets: Targets;

  constructor(
    config: Config,
    private readonly secrets: Secrets,
  ) {
    this.targets = new Targets(targetRulesOf(config));
  }

  /**
   * The given fields, checked, as they are stored.
   * @throws DomainError `unknown_event`, `permission_denied`, `invalid_url`
   */
  settable(context: RequestContext, given: WebhookInput | WebhookPatch): Partial<Omit<Settable, 'secret'>> {
    const { url, events, enabled, payloadMode, description } = given;
    return {
      ...(url !== undefined && { url: this.targets.check(url).href }),
      ...(events && { events: this.checkedEvents(context, events) }),
      ...(enabled !== undefined && { enabled: enabled ?? true }),
      ...(payloadMode !== undefined && { payload_mode: payloadMode ?? 'full' }),
      ...(description !== undefined && { description }),
    };
  }

  /**
   * The given secret or a new one, as text and sealed.
   * @throws DomainError `invalid_secret`
   */
  secret(given: string | null | undefined): { text: string; sealed: string } {
    const { text } = parseSecret(given ?? generateSecret());
    return { text, sealed: this.secrets.seal(text) };
  }

  /** Whether a sealed secret equals this one, whatever the case of a GUID's hexadecimal digits. */
  isSecret(sealed: string, text: string): boolean {
    const [one, other] = [this.secrets.open(sealed), text].map(parseSecret);
    return one.kind === other.kind && keyOf(one).equals(keyOf(other));
  }

  /**
   * @throws DomainError `permission_denied`: a caller that changes a webhook must be allowed to read all events that it
   * is sent
   */
  requireReadable(context: RequestContext, events: readonly string[]): void {
    for (const each of events)
      for (const { permission } of eventsMeant(each)) requirePermission(context, permission);
  }

  /**
   * @throws DomainError `permission_denied`: with the secret that it has, a webhook gets another address only from a
   * caller that may read the events it was sent. Anybody else could show its former receiver what that secret signed.
   */
  requireOwnSecret(context: RequestContext, before: { url: string; events: string[] }, url?: string): void {
    if (url !== undefined && url !== before.url) this.requireReadable(context, before.events);
  }

  private checkedEvents(context: RequestContext, events: readonly string[]): string[] {
    if (events.length === 0) throw invalid('too_few', 'events must name at least one event.', 'events');
    for (const [index, each] of events.entries()) {
      if (eventsMeant(each).length === 0)
        throw invalid('unknown_event', `events: there is no event ${each}.`, `events/${index}`);
    }
    this.requireReadable(context, events);
    return [...new Set(events)];
  }
}
