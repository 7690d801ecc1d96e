import { Logger } from '@nestjs/common';
import type { FeedEntry, FeedPage } from '#event-store/feed';
import { START } from '#event-store/position';
import { Consumer } from './consumer';
import type { FeedSource } from './feed-source';

/** A source whose partition belongs to one consumer at a time. */
class LockedSource implements FeedSource<FeedEntry> {
  static owner?: LockedSource;
  partitions: number[] = [];

  async own(): Promise<void> {
    LockedSource.owner ??= this;
    this.partitions = LockedSource.owner === this ? [0] : [];
  }

  async release(): Promise<void> {
    if (LockedSource.owner === this) LockedSource.owner = undefined;
    this.partitions = [];
  }

  async read(): Promise<FeedPage<FeedEntry>> {
    return { events: [], more: false };
  }

  async isHeldBack(): Promise<boolean> {
    return false;
  }

  close(): Promise<void> {
    return this.release();
  }
}

describe('consumers that exclude each other', () => {
  const consumers: Consumer<FeedEntry>[] = [];
  let told: jest.SpyInstance;

  beforeEach(() => {
    jest.useFakeTimers();
    LockedSource.owner = undefined;
    jest.spyOn(Logger.prototype, 'error').mockImplementation();
    told = jest.spyOn(Logger.prototype, 'log').mockImplementation();
  });
  afterEach(async () => {
    await Promise.all(consumers.splice(0).map((consumer) => consumer.stop()));
    jest.useRealTimers();
    jest.restoreAllMocks();
  });

  function consume(cursors: () => void): Consumer<FeedEntry> {
    const subscriber = {
      name: 'audit',
      cursors: async (partitions: number[]) => {
        cursors();
        return partitions.map((partition) => ({ partition, after: START }));
      },
      handle: async () => true,
    };
    consumers.push(new Consumer<FeedEntry>(subscriber, 10, () => new LockedSource()));
    return consumers.at(-1)!;
  }
  const fail = () => {
    throw new Error('no way to Kafka');
  };

  it('leave the partitions to another when they fail for ten seconds, and not sooner', async () => {
    const failing = consume(fail);
    await jest.advanceTimersByTimeAsync(100);
    const healthy = consume(() => undefined);
    await jest.advanceTimersByTimeAsync(9_000);
    expect([failing.partitions(), healthy.partitions()]).toEqual([[0], []]);
    await jest.advanceTimersByTimeAsync(2_000);
    expect([failing.partitions(), healthy.partitions()]).toEqual([[], [0]]);
    await jest.advanceTimersByTimeAsync(60_000);
    expect([failing.partitions(), healthy.partitions()]).toEqual([[], [0]]);
    expect(told).not.toHaveBeenCalledWith('audit goes on');
  });

  it('try again when there is no other', async () => {
    let isDown = true;
    const alone = consume(() => isDown && fail());
    await jest.advanceTimersByTimeAsync(60_000);
    expect(alone.problem).toBe('audit: no way to Kafka');
    isDown = false;
    await jest.advanceTimersByTimeAsync(3_000);
    expect([alone.partitions(), alone.problem]).toEqual([[0], undefined]);
    expect(told).toHaveBeenCalledWith('audit goes on');
  });

  it('keep the partitions as long as they make progress between the failures', async () => {
    const held = consume(() => {
      held?.progresses();
      fail();
    });
    await jest.advanceTimersByTimeAsync(100);
    const idle = consume(() => undefined);
    await jest.advanceTimersByTimeAsync(60_000);
    expect([held.partitions(), idle.partitions()]).toEqual([[0], []]);
  });
});
