import { Logger } from '@nestjs/common';
import type { RecordedEvent } from '#event-store/events';
import type { Cursor, FeedEntry } from '#event-store/feed';
import { Contiguity, FeedOutOfOrder } from '#event-store/feed/contiguity';
import { comparePositions } from '#event-store/position';
import { pauseBetweenLooks } from '#kernel/looks';
import type { Subscriber, Subscription } from './event-bus';
import type { Calls, FeedSource } from './feed-source';
import { isOutage } from './outage';

const POLL_MS = 250;
const HELD_LOOKS = { first: 5, last: POLL_MS };
const RETRY_MS = 500;
/** A consumer that has failed for this long lets others try: it may be the only one that cannot reach Kafka, for example. */
const PATIENCE_MS = 10_000;
/** How long it then leaves the partitions to others, who look for free ones four times a second. */
const ASIDE_MS = 2_000;
/** How often a lasting problem is logged again. */
const REMINDER_MS = 60_000;

/** Reads a source batch by batch and hands the events to a subscriber. */
export class Consumer<Event extends FeedEntry = RecordedEvent> implements Subscription {
  /** The reason why the consumer makes no progress, as long as that is so. */
  problem?: string;
  private readonly log = new Logger('EventBus');
  private readonly source: FeedSource<Event>;
  private readonly limit: number;
  private readonly running: Promise<void>;
  private cursors = new Map<number, Cursor>();
  private readonly contiguity = new Contiguity();
  private stopping = false;
  private signalled = false;
  /** Since when there are events that cannot be read yet, on performance.now. */
  private heldSince?: number;
  /** Since when every attempt has failed, on performance.now. */
  private failingSince?: number;
  /** The problem that was last logged, until the consumer goes on with partitions of its own. */
  private told?: string;
  /** When the problem was last logged, on performance.now. */
  private toldAt = 0;
  private wake: () => void = () => undefined;

  /** @param limit how many events are handed over at once, at most, when the subscriber does not say */
  constructor(
    private readonly subscriber: Subscriber<Event>,
    limit: number,
    open: (calls: Calls) => FeedSource<Event>,
  ) {
    this.limit = subscriber.most ?? limit;
    this.source = open({
      wake: () => {
        this.signalled = true;
        this.wake();
      },
      lost: () => this.forget(),
    });
    this.running = this.run();
  }

  /** The reasons why nothing is handed over, for the health check. */
  get problems(): string[] {
    return [this.problem, this.source.problem].flatMap((problem) => problem ?? []);
  }

  partitions(): number[] {
    return this.source.partitions;
  }

  /** Called by a subscriber that gets on although `handle` fails in the end: it keeps its partitions. */
  progresses(): void {
    this.failingSince = undefined;
  }

  async stop(): Promise<void> {
    this.stopping = true;
    this.wake();
    await this.running;
  }

  private async run(): Promise<void> {
    while (!this.stopping) {
      try {
        const more = (await this.round()) || !(await this.settled());
        const pause = more ? 0 : await this.pause();
        this.progresses();
        if (!(await this.isHeldForLong())) this.goesOn();
        if (!more) await this.rest(pause);
      } catch (error) {
        this.forget();
        this.heldSince = undefined;
        this.standsStill(error as Error);
        // After events out of order the partitions are kept: another consumer would go on beyond the gap.
        await this.rest(error instanceof FeedOutOfOrder ? undefined : await this.stepAside(), true);
      }
    }
    await this.source.close();
  }

  /** Releases the partitions when they were of no use for long. @returns milliseconds to rest before the next attempt */
  private async stepAside(): Promise<number> {
    const now = performance.now();
    this.failingSince ??= now;
    if (now - this.failingSince < PATIENCE_MS || this.source.partitions.length === 0) return RETRY_MS;
    if (!this.source.release) return RETRY_MS;
    this.failingSince = undefined;
    await this.source.release();
    return ASIDE_MS;
  }

  /**
   * Logs why the consumer makes no progress. It retries twice a second; a line for each retry would hide all others.
   * @param detail logged only: `problem` is shown to anybody
   */
  private standsStill(error: Pick<Error, 'message' | 'stack'>, detail = ''): void {
    const problem = `${this.subscriber.name}: ${error.message}`;
    const now = performance.now();
    this.problem = problem;
    if (problem === this.told && now - this.toldAt < REMINDER_MS) return;
    if (isOutage(error)) this.log.warn(problem + detail);
    else this.log.error(problem + detail, error.stack);
    this.told = problem;
    this.toldAt = now;
  }

  /**
   * Whether events have been held back for a minute. Seconds are normal; after a minute an operator must end the
   * transaction, so the log names its session.
   */
  private async isHeldForLong(): Promise<boolean> {
    const now = performance.now();
    if (this.heldSince === undefined || now - this.heldSince < REMINDER_MS) return false;
    if (this.problem && now - this.toldAt < REMINDER_MS) return true;
    const holder = `: ${await this.source.holder?.()}`;
    this.standsStill({ message: 'held back by a transaction that is open' }, holder);
    return true;
  }

  private goesOn(): void {
    this.problem = undefined;
    // Without partitions it only stands by.
    if (!this.told || this.source.partitions.length === 0) return;
    this.log.log(`${this.subscriber.name} goes on`);
    this.told = undefined;
  }

  private forget(): void {
    this.cursors.clear();
    this.contiguity.clear();
  }

  /** Reads once and hands the events over. @returns whether there may be more at once */
  private async round(): Promise<boolean> {
    await this.own();
    this.signalled = false;
    const cursors = [...this.cursors.values()];
    if (cursors.length === 0) return false;
    const { events, more } = await this.source.read(cursors, this.limit);
    if (events.length > 0) this.heldSince = undefined;
    for (let from = 0; from < events.length && this.cursors.size > 0; from += this.limit) {
      await this.hand(events.slice(from, from + this.limit));
    }
    return more || this.signalled || this.cursors.size === 0;
  }

  private async hand(events: Event[]): Promise<void> {
    this.contiguity.check(events);
    if (!(await this.subscriber.handle(events))) return this.forget();
    this.progresses();
    for (const { partition, at } of events) {
      // A partition that was lost meanwhile no longer has a cursor.
      const cursor = this.cursors.get(partition);
      if (cursor && comparePositions(at, cursor.after) > 0)
        this.cursors.set(partition, { partition, after: at });
    }
  }

  private async settled(): Promise<boolean> {
    if (this.cursors.size === 0 || !this.subscriber.settle || (await this.subscriber.settle())) return true;
    this.forget();
    return false;
  }

  private async own(): Promise<void> {
    await this.source.own();
    const owned = this.source.partitions;
    if (owned.length === this.cursors.size && owned.every((partition) => this.cursors.has(partition))) return;
    this.forget();
    const cursors = await this.subscriber.cursors(owned);
    // Some partitions may have been lost meanwhile.
    const still = new Set(this.source.partitions);
    for (const cursor of cursors) if (still.has(cursor.partition)) this.cursors.set(cursor.partition, cursor);
  }

  /** Milliseconds to rest. Events that are held back are looked for soon, then less and less often. */
  private async pause(): Promise<number> {
    const cursors = [...this.cursors.values()];
    if (this.signalled || cursors.length === 0 || !(await this.source.isHeldBack(cursors))) {
      this.heldSince = undefined;
      return POLL_MS;
    }
    const now = performance.now();
    this.heldSince ??= now;
    return pauseBetweenLooks(now - this.heldSince, HELD_LOOKS);
  }

  /**
   * Waits until the time is over, a signal comes, or the consumer stops.
   * @param milliseconds undefined: no limit
   * @param deaf ignores signals
   */
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
