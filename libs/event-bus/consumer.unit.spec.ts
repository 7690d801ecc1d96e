import { Logger } from '@nestjs/common';
import type { Cursor, FeedEntry } from '#event-store/feed';
import { type Position, START } from '#event-store/position';
import { Consumer } from './consumer';
import type { Calls, FeedSource } from './feed-source';
import { CarrierAway } from './outage';

const EVENT: FeedEntry = {
  tenantId: 1,
  streamId: 'stream',
  version: 1,
  partition: 0,
  at: { epoch: 1, transactionId: 1n, position: 1n },
};

/** A source of one event, which an open transaction holds back at first. */
class HeldSource implements FeedSource<FeedEntry> {
  partitions = [0];
  isThere = false;
  isFree = false;
  /** The error that reading it throws. */
  fault?: Error;
  /** Times on performance.now. */
  readonly reads: number[] = [];

  constructor(readonly calls: Calls) {}

  async own(): Promise<void> {
    if (this.fault) throw this.fault;
  }

  async read([{ after }]: Cursor[]): Promise<{ events: FeedEntry[]; more: boolean }> {
    this.reads.push(performance.now());
    return { events: this.isFree && after === START ? [EVENT] : [], more: false };
  }

  async isHeldBack([{ after }]: Cursor[]): Promise<boolean> {
    return this.isThere && after === START;
  }

  async holder(): Promise<string> {
    return 'pid 7';
  }

  async close(): Promise<void> {}
}

describe('a consumer', () => {
  let source: HeldSource;
  let handled: number[];
  let settled: number[];
  let asked: number;
  let standing: boolean[];
  let consumer: Consumer<FeedEntry>;

  beforeEach(async () => {
    jest.useFakeTimers();
    [handled, settled, asked, standing] = [[], [], 0, []];
    let reached: Position = START;
    consumer = new Consumer<FeedEntry>(
      {
        name: 'audit',
        cursors: async () => {
          asked++;
          return [{ partition: 0, after: reached }];
        },
        handle: async ([{ at }]) => {
          handled.push(performance.now());
          reached = at;
          return true;
        },
        settle: async () => {
          settled.push(handled.length);
          return standing.shift() ?? true;
        },
      },
      10,
      (calls) => (source = new HeldSource(calls)),
    );
    await jest.advanceTimersByTimeAsync(100);
  });
  afterEach(async () => {
    await consumer.stop();
    jest.useRealTimers();
  });

  async function signalled(): Promise<void> {
    source.isThere = true;
    source.calls.wake();
    await jest.advanceTimersByTimeAsync(0);
  }

  it('soon sees an event that was held back when its signal came, although no signal says that it is free', async () => {
    await signalled();
    await jest.advanceTimersByTimeAsync(20);
    expect(handled).toEqual([]);

    source.isFree = true;
    const freeAt = performance.now();
    await jest.advanceTimersByTimeAsync(500);
    expect(handled).toHaveLength(1);
    expect(handled[0] - freeAt).toBeLessThanOrEqual(10);
  });

  it('looks less often for an event that is held back for long', async () => {
    await signalled();
    const before = source.reads.length;
    await jest.advanceTimersByTimeAsync(1_000);
    const after = source.reads.length;
    expect(after - before).toBeLessThan(30);
    await jest.advanceTimersByTimeAsync(10_000);
    expect(source.reads.length - after).toBeLessThan(45);
  });

  it('reports who has held it back for a minute, once a minute until that is over', async () => {
    const told: string[] = [];
    const tell = (message: string) => told.push(message);
    jest.spyOn(Logger.prototype, 'error').mockImplementation(tell);
    jest.spyOn(Logger.prototype, 'log').mockImplementation(tell);
    const problem = 'audit: held back by a transaction that is open';
    const line = `${problem}: pid 7`;

    await signalled();
    await jest.advanceTimersByTimeAsync(55_000);
    expect([told, consumer.problem]).toEqual([[], undefined]);
    await jest.advanceTimersByTimeAsync(90_000);
    expect([told, consumer.problem]).toEqual([[line, line], problem]);

    source.isFree = true;
    await jest.advanceTimersByTimeAsync(1_000);
    expect([told.at(-1), consumer.problem]).toEqual(['audit goes on', undefined]);
    expect(handled).toHaveLength(1);
    jest.restoreAllMocks();
  });

  it('looks at its own pace when nothing is held back', async () => {
    const before = source.reads.length;
    await jest.advanceTimersByTimeAsync(10_000);
    expect(source.reads.length - before).toBe(40);
  });

  it('lets the subscriber do postponed work before it rests, and asks for its position when that fails', async () => {
    [source.isThere, source.isFree] = [true, true];
    await signalled();
    expect(settled.at(-1)).toBe(1);
    expect(asked).toBe(1);

    standing = [false];
    source.calls.wake();
    await jest.advanceTimersByTimeAsync(1_000);
    expect(asked).toBe(2);
  });

  it('reports what stops it, reports it again when it changes or lasts a minute, and then that it goes on', async () => {
    const told: string[] = [];
    const tell = (message: string) => told.push(message);
    jest.spyOn(Logger.prototype, 'error').mockImplementation(tell);
    jest.spyOn(Logger.prototype, 'log').mockImplementation(tell);

    source.fault = new Error('the topic has too few partitions');
    await jest.advanceTimersByTimeAsync(150_000);
    expect(told).toEqual(Array(3).fill('audit: the topic has too few partitions'));
    expect(consumer.problem).toBe('audit: the topic has too few partitions');

    source.fault = new Error('the topic is gone');
    await jest.advanceTimersByTimeAsync(30_000);
    source.fault = undefined;
    await jest.advanceTimersByTimeAsync(30_000);
    expect(told.slice(3)).toEqual(['audit: the topic is gone', 'audit goes on']);
    expect(consumer.problem).toBeUndefined();
    jest.restoreAllMocks();
  });

  it('warns of an outage, also of one that caused the error, and reports any other error with its stack', async () => {
    const [errors, warnings] = (['error', 'warn'] as const).map((level) =>
      jest.spyOn(Logger.prototype, level).mockImplementation(),
    );
    const refused = Object.assign(new Error('connect ECONNREFUSED'), { code: 'ECONNREFUSED' });
    const lost = new Error('Projection tally: connect ECONNREFUSED', { cause: refused });
    const away = new CarrierAway('no broker');
    const fault = new Error('Projection tally: no such column', { cause: new Error('no such column') });

    for (const error of [lost, away, fault]) {
      source.fault = error;
      await jest.advanceTimersByTimeAsync(1_000);
    }
    expect(warnings.mock.calls).toEqual([[`audit: ${lost.message}`], ['audit: no broker']]);
    expect(errors.mock.calls).toEqual([[`audit: ${fault.message}`, fault.stack]]);
    jest.restoreAllMocks();
  });

  it('does not call a subscriber that has no partitions', async () => {
    source.partitions = [];
    source.calls.lost();
    await jest.advanceTimersByTimeAsync(1_000);
    const before = settled.length;
    await jest.advanceTimersByTimeAsync(1_000);
    expect(settled).toHaveLength(before);
  });
});
