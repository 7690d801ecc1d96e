import { isDeepStrictEqual } from 'node:util';
import { CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { invalid } from '#kernel/errors';
import { newId, toUuid } from '#kernel/ids';
import { prefersRepresentation } from '#platform/http/prefer';
import type { Change } from '#platform/http/repeatable-requests';
import { Reply } from '#platform/http/reply';
import type { RequestContext } from '#platform/request-context';
import { requireMatch, versionMismatch } from '#platform/version-match';
import { dropWaiting } from '../queue/delivery';
import { QueueSignal } from '../queue/queue-signal';
import { WebhookRequests } from '../webhook-requests';
import { type EndpointRow, webhookView } from './endpoint';
import type { WebhookInput, WebhookPatch, WebhookRegistration } from './endpoint.input';
import {
  addressed,
  endpointIn,
  insertEndpoint,
  locked,
  lockWebhooks,
  type Settable,
  updateEndpoint,
} from './endpoints';
import { Subscriptions } from './subscription';

export class RegisterWebhook {
  constructor(
    readonly context: RequestContext,
    readonly body: WebhookRegistration,
  ) {}
}

export class CreateWebhook {
  constructor(
    readonly context: RequestContext,
    readonly body: WebhookInput,
  ) {}
}

export class UpdateWebhook {
  constructor(
    readonly context: RequestContext,
    readonly id: string,
    readonly body: WebhookPatch,
    readonly prefer: string | undefined,
  ) {}
}

/**
 * Pauses a webhook, so that deliveries are queued and not sent, or resumes it. Resuming also enables a disabled
 * webhook.
 */
export class SwitchWebhook {
  constructor(
    readonly context: RequestContext,
    readonly id: string,
    readonly paused: boolean,
  ) {}
}

export class DeleteWebhook {
  constructor(
    readonly context: RequestContext,
    readonly id: string,
  ) {}
}

export function shown(
  status: number,
  row: EndpointRow,
  more: { secret?: string; headers?: object } = {},
): Reply {
  const { secret, headers } = more;
  const body = { success: true, data: { ...webhookView(row), ...(secret !== undefined && { secret }) } };
  return new Reply(status, body, { ETag: `"${row.version}"`, ...headers });
}

const addressOf = ({ tenant }: RequestContext, row: EndpointRow) =>
  `/${tenant.alias}/api/v1/webhooks/${webhookView(row).id}`;

/** Values of fields that a request leaves out. */
const DEFAULTS = { enabled: true, payloadMode: 'full', description: null } as const;

@CommandHandler(RegisterWebhook)
export class RegisterWebhookHandler implements ICommandHandler<RegisterWebhook> {
  constructor(
    private readonly requests: WebhookRequests,
    private readonly subscriptions: Subscriptions,
    private readonly signal: QueueSignal,
  ) {}

  async execute({ context, body }: RegisterWebhook): Promise<Reply> {
    const given = this.subscriptions.settable(context, { ...DEFAULTS, ...body });
    const secret = body.secret == null ? undefined : this.subscriptions.secret(body.secret);
    await this.requests.endWaiting(context, body.id);
    const reply = await this.requests.execute(context, async (change) => {
      await lockWebhooks(change, context);
      // The existing webhook is locked too, as it may be about to be removed: then it is registered anew.
      const before = await locked(change, context, body.id);
      // A webhook that was never put has version 0, as settings have.
      if (!before && !(context.ifMatch?.includes('0') ?? true)) throw versionMismatch(0, 'The webhook is');
      if (!before && secret === undefined)
        throw invalid('required', 'secret is required for a new webhook.', 'secret');
      const named = { tenant_id: context.tenant.id, webhook_id: toUuid(body.id) };
      if (!before) await dropWaiting(change.client, named, 'all');
      const row = before
        ? await this.replace(change, context, before, given, secret)
        : await insertEndpoint(change, context, body.id, { ...given, secret: secret?.sealed } as Settable);
      return new Reply(201, undefined, { ETag: `"${row.version}"`, Location: addressOf(context, row) });
    });
    this.signal.changed(endpointIn(context, body.id));
    return reply;
  }

  private replace(
    change: Change,
    context: RequestContext,
    before: EndpointRow,
    given: Partial<Settable>,
    secret: ReturnType<Subscriptions['secret']> | undefined,
  ): Promise<EndpointRow> {
    requireMatch(context, before.version, 'The webhook is');
    if (!secret) this.subscriptions.requireOwnSecret(context, before, given.url);
    // A webhook that is put again with its present secret keeps the former secrets of its rotation.
    const isOther = secret !== undefined && !this.subscriptions.isSecret(before.secret, secret.text);
    const secrets = isOther ? { secret: secret.sealed, former_secrets: [] } : {};
    const changes = { ...given, paused: false, ...secrets };
    return updateEndpoint(change, context, before, changes);
  }
}

@CommandHandler(CreateWebhook)
export class CreateWebhookHandler implements ICommandHandler<CreateWebhook> {
  constructor(
    private readonly requests: WebhookRequests,
    private readonly subscriptions: Subscriptions,
  ) {}

  execute({ context, body }: CreateWebhook): Promise<Reply> {
    const given = this.subscriptions.settable(context, { ...DEFAULTS, ...body });
    const { text, sealed } = this.subscriptions.secret(body.secret);
    return this.requests.execute(context, async (change) => {
      await lockWebhooks(change, context);
      const settable = { ...given, secret: sealed } as Settable;
      const row = await insertEndpoint(change, context, newId('webhook'), settable);
      return shown(201, row, { secret: text, headers: { Location: addressOf(context, row) } });
    });
  }
}

@CommandHandler(UpdateWebhook)
export class UpdateWebhookHandler implements ICommandHandler<UpdateWebhook> {
  constructor(
    private readonly requests: WebhookRequests,
    private readonly subscriptions: Subscriptions,
    private readonly signal: QueueSignal,
  ) {}

  async execute({ context, id, body, prefer }: UpdateWebhook): Promise<Reply> {
    if (body.enabled) await this.requests.endWaiting(context, id);
    const reply = await this.requests.execute(context, async (change) => {
      const before = await addressed(change, context, id);
      const given = this.subscriptions.settable(context, body);
      this.subscriptions.requireReadable(context, given.events ?? before.events);
      this.subscriptions.requireOwnSecret(context, before, given.url);
      const changes = Object.entries(given).filter(
        ([name, value]) => !isDeepStrictEqual(value, before[name as keyof EndpointRow]),
      );
      const row =
        changes.length === 0
          ? before
          : await updateEndpoint(change, context, before, Object.fromEntries(changes));
      if (prefersRepresentation(prefer))
        return shown(200, row, { headers: { 'Preference-Applied': 'return=representation' } });
      return new Reply(200, { success: true, data: id }, { ETag: `"${row.version}"` });
    });
    this.signal.changed(endpointIn(context, id));
    return reply;
  }
}

@CommandHandler(SwitchWebhook)
export class SwitchWebhookHandler implements ICommandHandler<SwitchWebhook> {
  constructor(
    private readonly requests: WebhookRequests,
    private readonly subscriptions: Subscriptions,
    private readonly signal: QueueSignal,
  ) {}

  async execute({ context, id, paused }: SwitchWebhook): Promise<Reply> {
    if (!paused) await this.requests.endWaiting(context, id);
    const reply = await this.requests.execute(context, async (change) => {
      const before = await addressed(change, context, id);
      const enabled = before.enabled || !paused;
      if (before.paused === paused && before.enabled === enabled) return shown(200, before);
      this.subscriptions.requireReadable(context, before.events);
      return shown(200, await updateEndpoint(change, context, before, { paused, enabled }));
    });
    this.signal.changed(endpointIn(context, id));
    return reply;
  }
}

@CommandHandler(DeleteWebhook)
export class DeleteWebhookHandler implements ICommandHandler<DeleteWebhook> {
  constructor(
    private readonly requests: WebhookRequests,
    private readonly signal: QueueSignal,
  ) {}

  /** Removes a webhook. Its deliveries are removed later, a part at a time. */
  async execute({ context, id }: DeleteWebhook): Promise<Reply> {
    const reply = await this.requests.execute(context, async (change) => {
      const { tenant_id, id: uuid } = await addressed(change, context, id);
      await change.client.query('delete from webhooks.endpoints where tenant_id = $1 and id = $2', [
        tenant_id,
        uuid,
      ]);
      return new Reply(204, undefined);
    });
    this.signal.changed(endpointIn(context, id));
    return reply;
  }
}

export const endpointHandlers = [
  RegisterWebhookHandler,
  CreateWebhookHandler,
  UpdateWebhookHandler,
  SwitchWebhookHandler,
  DeleteWebhookHandler,
];
