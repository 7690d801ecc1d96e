import { CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import type { Reply } from '#platform/http/reply';
import type { RequestContext } from '#platform/request-context';
import { QueueSignal } from '../queue/queue-signal';
import { WebhookRequests } from '../webhook-requests';
import { shown } from './endpoint.commands';
import type { RotateSecretInput } from './endpoint.input';
import { addressed, endpointIn, updateEndpoint } from './endpoints';
import { Subscriptions } from './subscription';

/** How long an old secret signs beside the new one. */
const OVERLAP_MS = 24 * 3_600_000;
/** Former secrets that are kept. Each signs, and with very many the header would be longer than receivers accept. */
const MOST_FORMER = 3;

export class RotateSecret {
  constructor(
    readonly context: RequestContext,
    readonly id: string,
    readonly body: RotateSecretInput,
  ) {}
}

@CommandHandler(RotateSecret)
export class RotateSecretHandler implements ICommandHandler<RotateSecret> {
  constructor(
    private readonly requests: WebhookRequests,
    private readonly subscriptions: Subscriptions,
    private readonly signal: QueueSignal,
  ) {}

  async execute({ context, id, body }: RotateSecret): Promise<Reply> {
    const { text, sealed } = this.subscriptions.secret(body.secret);
    const reply = await this.requests.execute(context, async (change) => {
      const before = await addressed(change, context, id);
      this.subscriptions.requireReadable(context, before.events);
      const until = new Date(change.now.getTime() + OVERLAP_MS).toISOString();
      const former = before.former_secrets.filter((each) => new Date(each.until) > change.now);
      // A secret that is given again, as by a caller that did not hear the answer, is not among those that it replaces.
      const others = [{ secret: before.secret, until }, ...former].filter(
        ({ secret }) => !this.subscriptions.isSecret(secret, text),
      );
      const row = await updateEndpoint(change, context, before, {
        secret: sealed,
        former_secrets: others.slice(0, MOST_FORMER),
      });
      return shown(200, row, { secret: text });
    });
    this.signal.changed(endpointIn(context, id));
    return reply;
  }
}
