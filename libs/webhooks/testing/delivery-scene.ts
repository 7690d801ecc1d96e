import type { RequestContext } from '#platform/request-context';
import { SetClock } from '../../../test/support/set-clock';
import { waitFor } from '../../../test/support/wait-for';
import type { Dispatcher } from '../delivery/dispatcher';
import { ScriptedSender } from './scripted-sender';
import { openWebhooks, type Webhooks } from './webhook-parts';

/** In seconds. */
export const MINUTE = 60;
export const HOUR = 60 * MINUTE;

/** A receiver that answers as a test says. */
export const DEAD = 'https://dead.example.com/in';
/** A receiver that accepts everything. */
export const OTHER = 'https://other.example.com/in';

interface Delivery {
  state: number;
  attempts: number;
  failures: number;
  due_at: Date;
  status: number | null;
  error: string | null;
}

/** A worker that sends to both receivers, under a clock that a test sets. */
export class DeliveryScene {
  readonly sender = new ScriptedSender(({ url }) => (url === DEAD ? this.answer : { status: 204 }));
  /** What the dead receiver answers. */
  answer: { status?: number; error?: string; retryAfter?: string } = {};
  /** A tenant of the test. */
  context: RequestContext;
  private readonly dispatcher: Dispatcher;

  private constructor(
    readonly clock: SetClock,
    readonly hooks: Webhooks,
  ) {
    hooks.project();
    hooks.fanOut.start();
    // The middle of the random deviation: waits are exactly as planned.
    this.dispatcher = hooks.dispatcher(this.sender, { random: () => 0.5 });
    this.dispatcher.start();
  }

  static async open(): Promise<DeliveryScene> {
    const clock = new SetClock(new Date('2026-03-01T12:00:00Z'));
    return new DeliveryScene(clock, await openWebhooks(clock));
  }

  close(): Promise<void> {
    return this.hooks.close();
  }

  /** Begins a test: the dead receiver fails, and the tenant is a new one. */
  async begin(): Promise<void> {
    this.answer = { status: 500 };
    this.sender.sent.length = 0;
    this.context = await this.hooks.tenant();
  }

  sentTo(url: string) {
    return this.sender.to(url, this.context.tenant);
  }

  deliveries(webhook: string): Promise<Delivery[]> {
    return this.hooks.sql<Delivery>(
      'select * from webhooks.deliveries where webhook_id = $1 order by event_id',
      [webhook],
    );
  }

  async delivery(webhook: string): Promise<Delivery> {
    return (await this.deliveries(webhook))[0];
  }

  /** The only delivery, once this many attempts at it have been written down. */
  async attempted(webhook: string, count: number): Promise<Delivery> {
    await waitFor(async () => (await this.delivery(webhook))?.attempts === count, {
      description: `attempt ${count} to be written down`,
    });
    return this.delivery(webhook);
  }

  /** Lets time pass, and makes the worker look as it does every second. */
  pass(seconds: number): void {
    this.clock.advance(seconds);
    this.dispatcher.look();
  }

  async endpoint(webhook: string) {
    const [row] = await this.hooks.sql<{ enabled: boolean; disabled_reason: string | null }>(
      'select enabled, disabled_reason from webhooks.endpoints where id = $1',
      [webhook],
    );
    return row;
  }
}
