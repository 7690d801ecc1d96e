import { Injectable, Logger, type OnApplicationShutdown } from '@nestjs/common';
import { Client } from 'pg';
import { Contiguity, FeedOutOfOrder } from '#event-store/contiguity';
import type { RecordedEvent } from '#event-store/events';
import { type Cursor, Feed } from '#event-store/feed';
import { comparePositions } from '#event-store/position';
import { APPENDED_CHANNEL } from '#event-store/signal';
import { Config } from '#platform/config';
import { Health } from '#platform/observability/health';
import { EventBus, type Subscriber, type Subscription } from './event-bus';
import { PartitionLocks } from './partition-locks';

const POLL_MS = 250;
const OWNERSHIP_MS = 1_000;
const RETRY_MS = 500;

/** The store's own feed: woken by a signal after each append, with a poll beneath it. */
@Injectable()
export class StoreEventBus extends EventBus implements OnApplicationShutdown {
  private readonly subscriptions: StoreSubscription[] = [];

  constructor(
    private readonly config: Config,
    private readonly feed: Feed,
    health: Health,
  ) {
    super();
    health.watch(async () => this.subscriptions.flatMap(({ halt }) => halt ?? []));
  }

  subscribe(subscriber: Subscriber): Subscription {
    const subscription = new StoreSubscription(subscriber, this.config, this.feed);
    this.subscriptions.push(subscription);
    return subscription;
  }

  async onApplicationShutdown(): Promise<void> {
    await Promise.all(this.subscriptions.map((subscription) => subscription.stop()));
  }
}

class StoreSubscription implements Subscription {
  private readonly log = new Logger('EventBus');
  private readonly locks: PartitionLocks;
  private readonly running: Promise<void>;
  private listener?: Client;
  /** Why it reads no more. */
  halt?: string;
  private cursors = new Map<number, Cursor>();
  private readonly contiguity = new Contiguity();
  private stopping = false;
  private signalled = false;
  private wake: () => void = () => undefined;
  private ownershipCheckedAt = 0;

  constructor(
    private readonly subscriber: Subscriber,
    private readonly config: Config,
    private readonly feed: Feed,
  ) {
    this.locks = new PartitionLocks(config.databaseUrl, subscriber.name, () => this.forget());
    this.running = this.run();
  }

  partitions(): number[] {
    return this.locks.partitions;
  }

  async stop(): Promise<void> {
    this.stopping = true;
    this.wake();
    await this.running;
  }

  private async run(): Promise<void> {
    while (!this.stopping) {
      try {
        const more = await this.round();
        if (!more) await this.rest(POLL_MS);
      } catch (error) {
        this.forget();
        this.log.error(`${this.subscriber.name}: ${(error as Error).message}`, (error as Error).stack);
        if (error instanceof FeedOutOfOrder) this.halt = `${this.subscriber.name}: ${error.message}`;
        // Whoever read on would build upon the gap: the partitions are kept, so that nobody does.
        await this.rest(this.halt ? undefined : RETRY_MS, true);
      }
    }
    await this.locks.release();
    await this.listener?.end();
  }

  private forget(): void {
    this.cursors.clear();
    this.contiguity.clear();
  }

  /** Reads once and hands over; true when there may be more at once. */
  private async round(): Promise<boolean> {
    await this.listen();
    await this.own();
    this.signalled = false;
    const cursors = [...this.cursors.values()];
    if (cursors.length === 0) return false;
    const limit = this.config.PROJECTION_BATCH;
    const events = await this.feed.read(cursors, limit);
    for (let from = 0; from < events.length && this.cursors.size > 0; from += limit) {
      await this.hand(events.slice(from, from + limit));
    }
    return this.signalled || events.length >= limit || this.cursors.size === 0;
  }

  private async hand(events: RecordedEvent[]): Promise<void> {
    this.contiguity.check(events);
    if (!(await this.subscriber.handle(events))) return this.forget();
    for (const { partition, at } of events) {
      // A partition that was lost meanwhile has no cursor any more.
      const cursor = this.cursors.get(partition);
      if (cursor && comparePositions(at, cursor.after) > 0)
        this.cursors.set(partition, { partition, after: at });
    }
  }

  private async own(): Promise<void> {
    const now = Date.now();
    if (now - this.ownershipCheckedAt >= OWNERSHIP_MS || this.locks.partitions.length === 0) {
      await this.locks.take();
      this.ownershipCheckedAt = now;
    }
    const owned = this.locks.partitions;
    if (owned.every((partition) => this.cursors.has(partition))) return;
    this.forget();
    const cursors = await this.subscriber.cursors(owned);
    // The session may have ended meanwhile, and the partitions with it.
    const still = new Set(this.locks.partitions);
    for (const cursor of cursors) if (still.has(cursor.partition)) this.cursors.set(cursor.partition, cursor);
  }

  private async listen(): Promise<void> {
    if (this.listener) return;
    const listener = new Client({
      connectionString: this.config.databaseUrl,
      application_name: 'practice listener',
    });
    const gone = () => {
      if (this.listener === listener) this.listener = undefined;
    };
    listener.on('error', gone);
    listener.on('end', gone);
    listener.on('notification', () => {
      this.signalled = true;
      this.wake();
    });
    await listener.connect();
    this.listener = listener;
    await listener.query(`listen ${APPENDED_CHANNEL}`);
  }

  /** Waits for a signal or the time, deaf for the time alone; without a time, for the end. */
  private rest(milliseconds: number | undefined, deaf = false): Promise<void> {
    if (this.stopping || (this.signalled && !deaf)) return Promise.resolve();
    return new Promise((resolve) => {
      const timer = milliseconds === undefined ? undefined : setTimeout(resolve, milliseconds);
      this.wake = () => {
        if (deaf && !this.stopping) return;
        clearTimeout(timer);
        resolve();
      };
    });
  }
}
