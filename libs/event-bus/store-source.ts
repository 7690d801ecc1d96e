import { Logger } from '@nestjs/common';
import type { Cursor, Feed, FeedEntry, FeedPage } from '#event-store/feed';
import { APPENDED_CHANNEL } from '#event-store/signal';
import { Listener } from '#platform/database/listener';
import type { Calls, FeedSource } from './feed-source';
import { PartitionLocks } from './partition-locks';

const OWNERSHIP_MS = 1_000;
const LOOSENED_MS = 10_000;

/** The store's own feed, woken by a signal after each append. The process that holds a partition's lock reads it. */
export class StoreSource<Event extends FeedEntry> implements FeedSource<Event> {
  private readonly locks: PartitionLocks;
  private readonly listener: Listener;
  private readonly log = new Logger('EventBus');
  private ownershipCheckedAt = Number.NEGATIVE_INFINITY;
  private loosenedAt = Number.NEGATIVE_INFINITY;

  /**
   * @param name the subscriber's name; of each name one consumer at a time owns a partition
   * @param read reads a page of events after the cursors
   */
  constructor(
    url: string,
    name: string,
    private readonly feed: Pick<Feed, 'oldest' | 'holder' | 'endStandingCopies'>,
    readonly read: (cursors: Cursor[], limit: number) => Promise<FeedPage<Event>>,
    calls: Calls,
  ) {
    this.listener = new Listener(url, APPENDED_CHANNEL, 'practice listener', () => calls.wake());
    this.locks = new PartitionLocks(url, name, () => calls.lost());
  }

  get partitions(): number[] {
    return this.locks.partitions;
  }

  async own(): Promise<void> {
    await this.listener.connect();
    const now = performance.now();
    if (now - this.ownershipCheckedAt < OWNERSHIP_MS && this.partitions.length > 0) return;
    await this.locks.take();
    this.ownershipCheckedAt = now;
    if (now - this.loosenedAt >= LOOSENED_MS) await this.loosen(now);
  }

  /** Ends sessions that would hold the feed back for good. Every reader does so, even without partitions. */
  private async loosen(now: number): Promise<void> {
    this.loosenedAt = now;
    const ended = await this.feed.endStandingCopies();
    if (ended > 0)
      this.log.warn(
        `Ended ${ended} sessions that held back the feed: their processes stood still while they copied rows`,
      );
  }

  /** Whether a transaction that is older than the committed events holds them back: no signal comes when it ends. */
  async isHeldBack(cursors: Cursor[]): Promise<boolean> {
    return (await this.feed.oldest(cursors)).some((oldest) => oldest !== undefined);
  }

  holder(): Promise<string> {
    return this.feed.holder();
  }

  release(): Promise<void> {
    return this.locks.release();
  }

  async close(): Promise<void> {
    await this.release();
    await this.listener.end();
  }
}
