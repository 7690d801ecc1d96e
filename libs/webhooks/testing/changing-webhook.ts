import { randomUUID } from 'node:crypto';
import { SystemClock } from '#kernel/clock';
import { type Id, toId } from '#kernel/ids';
import type { RequestContext } from '#platform/request-context';
import { waitFor } from '../../../test/support/wait-for';
import {
  DeleteWebhook,
  DeleteWebhookHandler,
  RegisterWebhook,
  RegisterWebhookHandler,
  SwitchWebhook,
  SwitchWebhookHandler,
  UpdateWebhook,
  UpdateWebhookHandler,
} from '../endpoints/endpoint.commands';
import type { WebhookPatch } from '../endpoints/endpoint.input';
import type { Outcome } from '../protocol/sender';
import {
  Redeliver,
  RedeliverHandler,
  ReplayWebhook,
  ReplayWebhookHandler,
  TestWebhook,
  TestWebhookHandler,
} from '../queue/delivery.commands';
import { ScriptedSender } from './scripted-sender';
import { openWebhooks, type Webhooks } from './webhook-parts';

export const OLD = 'https://hooks.example.com/old';
export const NEW = 'https://hooks.example.com/new';

/** A webhook that its owner changes while a message to it is under way: the old address answers when it is told to. */
export class ChangingWebhook {
  context: RequestContext;
  webhook: string;
  /** Makes the old address answer. */
  answer: (outcome: Partial<Outcome>) => void;
  answered: Promise<Partial<Outcome>>;
  private readonly sender = new ScriptedSender(({ url }) => (url === NEW ? { status: 204 } : this.answered));

  private constructor(readonly hooks: Webhooks) {}

  static async open(): Promise<ChangingWebhook> {
    const scene = new ChangingWebhook(await openWebhooks(new SystemClock()));
    scene.hooks.project();
    scene.hooks.fanOut.start();
    // Records are soon too old to be sent, and read again.
    scene.hooks.dispatcher(scene.sender, { freshMs: 20 }).start();
    return scene;
  }

  /** Goes on with a new tenant, and a webhook that is not registered yet. */
  async renew(): Promise<void> {
    this.context = await this.hooks.tenant();
    this.webhook = randomUUID();
    this.sender.sent.length = 0;
    this.answered = new Promise((resolve) => {
      this.answer = resolve;
    });
  }

  get id(): Id<'webhook'> {
    return toId('webhook', this.webhook);
  }

  async register(url: string): Promise<void> {
    const secret = '12345678-0000-0000-0000-123456789012';
    const body = { id: this.id, url, secret, events: ['division.created'] };
    await new RegisterWebhookHandler(...this.parts).execute(new RegisterWebhook(this.context, body));
  }

  async patch(body: WebhookPatch): Promise<void> {
    const change = new UpdateWebhook(this.context, this.id, body, undefined);
    await new UpdateWebhookHandler(...this.parts).execute(change);
  }

  async pause(paused: boolean): Promise<void> {
    await new SwitchWebhookHandler(...this.parts).execute(new SwitchWebhook(this.context, this.id, paused));
  }

  async remove(): Promise<void> {
    const { requests, signal } = this.hooks;
    await new DeleteWebhookHandler(requests, signal).execute(new DeleteWebhook(this.context, this.id));
  }

  /** Queues a message of the type webhook.test. @returns the delivery's id */
  async test(): Promise<string> {
    const { requests, signal } = this.hooks;
    const test = new TestWebhook(this.context, this.id);
    const { body } = await new TestWebhookHandler(requests, signal).execute(test);
    return (body as { data: { id: string } }).data.id;
  }

  async redeliver(delivery: string): Promise<void> {
    const { requests, signal } = this.hooks;
    await new RedeliverHandler(requests, signal).execute(new Redeliver(this.context, this.id, delivery));
  }

  /** Queues all events since the given moment again. */
  async replay(since: Date): Promise<void> {
    const { requests, subscriptions, store, replays } = this.hooks;
    const body = { since: since.toISOString(), mode: 'all' } as const;
    const handler = new ReplayWebhookHandler(requests, subscriptions, store.config);
    await handler.execute(new ReplayWebhook(this.context, this.id, body));
    await replays.run();
  }

  sentTo(url: string) {
    return this.sender.to(url, this.context.tenant);
  }

  asked(url: string, count = 1): Promise<unknown> {
    return waitFor(() => this.sentTo(url).length >= count, { description: `${count} messages to ${url}` });
  }

  deliveries() {
    return this.hooks.deliveries(this.webhook);
  }

  standing() {
    return this.hooks.standing(this.webhook);
  }

  private get parts() {
    const { requests, subscriptions, signal } = this.hooks;
    return [requests, subscriptions, signal] as const;
  }
}
