import { Logger } from '@nestjs/common';
import type { RecordedEvent } from '#event-store/events';
import type { Cursor, FeedEntry } from '#event-store/feed';
import { Contiguity, FeedOutOfOrder } from '#event-store/feed/contiguity';
import { comparePositions } from '#event-store/position';
import { pauseBetweenLooks } from '#kernel/looks';
import type { Subscriber, Subscription } from './event-bus';
import type { Calls, Source } from './source';

const POLL_MS = 250;
const HELD_LOOKS = { first: 5, last: POLL_MS };
const RETRY_MS = 500;
/** How often a problem that lasts is told. */
const REMINDER_MS = 60_000;

/** Reads a source, a batch after another, and hands over to a subscriber. */
export class Consumer<Event extends FeedEntry = RecordedEvent> implements Subscription {
  /** Why it does not go on, while that is so. */
  problem?: string;
  private readonly log = new Logger('EventBus');
  private readonly source: Source<Event>;
  private readonly running: Promise<void>;
  private cursors = new Map<number, Cursor>();
  private readonly contiguity = new Contiguity();
  private stopping = false;
  private signalled = false;
  /** On performance.now: since when something is there that cannot be read yet. */
  private heldSince?: number;
  /** On performance.now: when the problem was last told. */
  private toldAt = 0;
  private wake: () => void = () => undefined;

  /** @param limit events that are handed over at once */
  constructor(
    private readonly subscriber: Subscriber<Event>,
    private readonly limit: number,
    open: (calls: Calls) => Source<Event>,
  ) {
    this.source = open({
      wake: () => {
        this.signalled = true;
        this.wake();
      },
      lost: () => this.forget(),
    });
    this.running = this.run();
  }

  partitions(): number[] {
    return this.source.partitions;
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
        if (!(await this.isHeldForLong())) this.goesOn();
        if (!more) await this.rest(pause);
      } catch (error) {
        this.forget();
        this.heldSince = undefined;
        this.standsStill(error as Error);
        // Whoever read on would build upon the gap: the partitions are kept, so that nobody does.
        await this.rest(error instanceof FeedOutOfOrder ? undefined : RETRY_MS, true);
      }
    }
    await this.source.close();
  }

  /**
   * It is tried again twice a second: a line for each would hide all others.
   * @param detail for the log alone: anybody may ask for the problem
   */
  private standsStill({ message, stack }: Pick<Error, 'message' | 'stack'>, detail = ''): void {
    const problem = `${this.subscriber.name}: ${message}`;
    const now = performance.now();
    if (problem === this.problem && now - this.toldAt < REMINDER_MS) return;
    this.log.error(problem + detail, stack);
    this.problem = problem;
    this.toldAt = now;
  }

  /** Seconds are nothing; after a minute somebody must end what holds it back, and know what that is. */
  private async isHeldForLong(): Promise<boolean> {
    const now = performance.now();
    if (this.heldSince === undefined || now - this.heldSince < REMINDER_MS) return false;
    if (this.problem && now - this.toldAt < REMINDER_MS) return true;
    const holder = `: ${await this.source.holder?.()}`;
    this.standsStill({ message: 'held back by a transaction that is open' }, holder);
    return true;
  }

  private goesOn(): void {
    if (this.problem) this.log.log(`${this.subscriber.name} goes on`);
    this.problem = undefined;
  }

  private forget(): void {
    this.cursors.clear();
    this.contiguity.clear();
  }

  /** Reads once and hands over; true when there may be more at once. */
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
    for (const { partition, at } of events) {
      // A partition that was lost meanwhile has no cursor any more.
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
    // Some may have gone meanwhile.
    const still = new Set(this.source.partitions);
    for (const cursor of cursors) if (still.has(cursor.partition)) this.cursors.set(cursor.partition, cursor);
  }

  /** How long to rest: what is held back is looked for soon, and less often the longer that lasts. */
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
