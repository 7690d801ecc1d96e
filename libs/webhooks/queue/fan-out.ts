import { Injectable, Logger, type OnApplicationShutdown } from '@nestjs/common';
import type { PoolClient } from 'pg';
import { EventBus, type Subscription } from '#event-bus/event-bus';
import type { RecordedEvent } from '#event-store/events';
import type { Cursor } from '#event-store/feed';
import { type Position, START } from '#event-store/position';
import { Clock } from '#kernel/clock';
import { WriteDatabase } from '#platform/database';
import { keepOutNewWebhooks } from '../endpoints/endpoints';
import { sentAs } from '../events/event-catalogue';
import { messageOf } from '../events/messages';
import { ErasedAnswers } from '../log/erased-answers';
import { endpointKey, type Message, queueMessages } from './delivery';
import { FanOutMoved, fanOutCursors, hourOf, markHours, moveFanOut } from './fan-out-checkpoints';
import { QueueSignal } from './queue-signal';

/**
 * Events whose messages are queued in one transaction. No reader of the feed sees what is committed meanwhile, of any
 * tenant: with twenty webhooks these are 5,000 messages, which take 0.1 s.
 */
const MOST_EVENTS = 250;

/** The fields of an endpoint that decide which events it is sent. */
export interface Subscribed {
  tenant_id: number;
  id: string;
  events: string[];
  permissions: string[];
  since_epoch: number;
  since_transaction_id: string;
  /** Null while it is enabled. */
  disabled_since: Date | null;
}

/** Endpoints whose integration may still read what is sent: its grant decides, as it is now. */
const GRANTED = `select e.tenant_id, e.id, e.events, g.permissions, e.since_epoch, e.since_transaction_id,
    case when not e.enabled then e.disabled_at end as disabled_since
  from webhooks.endpoints e
  join platform.grants g on g.tenant_id = e.tenant_id and g.integration_id = e.integration_id
  join platform.integrations i on i.id = e.integration_id
  where g.revoked_at is null and i.revoked_at is null`;
export const SUBSCRIBED = `${GRANTED} and e.enabled`;

/**
 * Turns events into messages. It is a subscription to the store with a checkpoint of its own, which moves in the
 * transaction that queues the messages. So no message is sent of an event that did not commit, no event is lost, and no
 * rebuild sends anything again.
 */
@Injectable()
export class FanOut implements OnApplicationShutdown {
  private readonly log = new Logger(FanOut.name);
  private subscription?: Subscription;
  /** Where this process believes that each partition stands, and the last hour that was marked in each. */
  private readonly reached = new Map<number, Position>();
  private readonly marked = new Map<number, number>();

  constructor(
    private readonly bus: EventBus,
    private readonly database: WriteDatabase,
    private readonly signal: QueueSignal,
    private readonly clock: Clock,
    private readonly answers: ErasedAnswers,
  ) {}

  start(): void {
    this.subscription = this.bus.subscribe({
      name: 'webhooks',
      most: MOST_EVENTS,
      cursors: (partitions) => this.cursors(partitions),
      handle: (events) => this.handle(events),
    });
  }

  async onApplicationShutdown(): Promise<void> {
    await this.subscription?.stop();
  }

  private async cursors(partitions: number[]): Promise<Cursor[]> {
    const cursors = await fanOutCursors(this.database.pool, partitions);
    this.reached.clear();
    this.marked.clear();
    for (const { partition, after } of cursors) this.reached.set(partition, after);
    return cursors;
  }

  /**
   * Queues the messages of a batch. @returns false when another worker has moved the checkpoint: nothing of the batch
   * was queued here
   */
  private async handle(events: RecordedEvent[]): Promise<boolean> {
    const last = new Map(events.map(({ partition, at }) => [partition, at]));
    const moves = [...last].map(([partition, to]) => ({ partition, from: this.at(partition), to }));
    const hours = this.newHours(events);
    const erasedIn = tenantsOfErased(events);
    try {
      const queued = await this.database.transaction(async (client) => {
        // The messages are made before the transaction writes: from its first write on, no reader of the feed sees what
        // is committed meanwhile.
        const messages = await this.messages(client, events);
        // The checkpoints move next, so that a displaced worker queues nothing.
        await moveFanOut(client, moves);
        await markHours(client, hours);
        await noteErasures(client, erasedIn, this.clock.now());
        await queueMessages(client, messages, this.clock.now());
        return messages;
      });
      this.signal.queued([...new Set(queued.map(endpointKey))]);
      if (erasedIn.length > 0) this.signal.changed();
      this.answers.wipeSoon(erasedIn);
    } catch (error) {
      if (!(error instanceof FanOutMoved)) throw error;
      this.log.log(`${error.message}; going on from there`);
      return false;
    }
    for (const { partition, to } of moves) this.reached.set(partition, to);
    for (const { partition, hour } of hours) this.marked.set(partition, hour.getTime());
    return true;
  }

  private at(partition: number): Position {
    return this.reached.get(partition) ?? START;
  }

  /**
   * The hours that begin in a batch. An event of an earlier hour that comes later (imports bring such events) begins no
   * hour.
   */
  private newHours(events: readonly RecordedEvent[]): Parameters<typeof markHours>[1][number][] {
    const hours = [];
    const behind = new Map<number, Position>();
    const marked = new Map(this.marked);
    for (const { partition, recordedAt, at } of events) {
      const hour = hourOf(recordedAt);
      if (hour.getTime() > (marked.get(partition) ?? 0)) {
        marked.set(partition, hour.getTime());
        hours.push({ partition, hour, behind: behind.get(partition) ?? this.at(partition) });
      }
      behind.set(partition, at);
    }
    return hours;
  }

  private async messages(client: PoolClient, events: readonly RecordedEvent[]): Promise<Message[]> {
    const tenants = [...new Set(events.map(({ tenantId }) => tenantId))];
    await keepOutNewWebhooks(client, tenants);
    const oldest = new Date(Math.min(...events.map(({ recordedAt }) => recordedAt.getTime())));
    // Events from before a webhook was disabled are queued for it although it is disabled now; they fail like its other
    // waiting deliveries.
    const { rows } = await client.query<Subscribed>({
      name: 'webhooks.subscribed',
      text: `${GRANTED} and (e.enabled or e.disabled_at >= $2) and e.tenant_id = any($1)`,
      values: [tenants, oldest],
    });
    return events.flatMap((event) => messagesFor(rows, event));
  }
}

function tenantsOfErased(events: readonly RecordedEvent[]): number[] {
  const erased = events.filter(({ event }) => event.type === 'EntityAnonymised');
  return [...new Set(erased.map(({ tenantId }) => tenantId))];
}

/** Records the erasures in the transaction that queues the messages, so that none is forgotten. */
async function noteErasures(client: PoolClient, tenants: readonly number[], now: Date): Promise<void> {
  if (tenants.length === 0) return;
  await client.query(
    `insert into webhooks.erasures (tenant_id, at) select t, $2 from unnest($1::int[]) t on conflict do nothing`,
    [tenants, now],
  );
}

/** The messages of an event, one for each endpoint of its tenant that takes the event. */
export function messagesFor(endpoints: readonly Subscribed[], recorded: RecordedEvent): Message[] {
  const told = messageOf(recorded);
  if (!told) return [];
  const { event, message } = told;
  return endpoints.flatMap((endpoint) => {
    if (endpoint.tenant_id !== recorded.tenantId || !endpoint.permissions.includes(event.permission))
      return [];
    if (endpoint.disabled_since && recorded.recordedAt > endpoint.disabled_since) return [];
    const name = sentAs(event, endpoint.events);
    if (name === undefined || !isSince(endpoint, recorded.at)) return [];
    // Spreading the message instead is ten times as slow: 3 µs for each endpoint.
    return [Object.assign({}, message, { webhook_id: endpoint.id, sent_as: name })];
  });
}

function isSince(
  { since_epoch, since_transaction_id }: Subscribed,
  { epoch, transactionId }: Position,
): boolean {
  return epoch > since_epoch || (epoch === since_epoch && transactionId > BigInt(since_transaction_id));
}
