import { Logger } from '@nestjs/common';
import { Counter, register } from 'prom-client';
import type { RecordedEvent } from '#event-store/events';
import type { Cursor, Feed, FeedPage, StoredEvent } from '#event-store/feed';
import { comparePositions, printPosition } from '#event-store/position';
import type { Calls, FeedSource } from '../feed-source';
import { fromNotice, type Notice, noticeOf } from './cloud-event';
import type { KafkaTransport, Member, Membership, ReceivedBatch } from './transport';

/** After this time without new messages of a partition the store is asked for its events; twice that while Kafka lags. */
const SILENCE_MS = 2_000;

const taken = (() => {
  const name = 'event_bus_events_total';
  const help = 'Events that consumers took: from Kafka, or from the store where Kafka had a gap.';
  register.removeSingleMetric(name);
  return new Counter({ name, help, labelNames: ['subscriber', 'source'] });
})();

interface Inbox {
  /** Messages that have not been consumed or skipped yet. */
  notices: Notice[];
  /** Messages that the store lacks have been removed. */
  isSifted: boolean;
  /** At least one message was new. */
  news: boolean;
  /** Lets the transport deliver the partition's next batch. */
  consumed(news: boolean): void;
}

/**
 * The events as Kafka delivers them to a member of a consumer group. Kafka tells what is new; the subscriber's cursors
 * decide what is next. Messages before the cursors, and messages that the store lacks, are skipped. When the next message
 * does not follow on a cursor, or none comes, the store is read instead.
 */
export class KafkaSource implements FeedSource<RecordedEvent>, Member {
  partitions: number[] = [];
  private readonly log = new Logger('EventBus');
  private readonly membership: Membership;
  private readonly inboxes = new Map<number, Inbox>();
  /** By partition: when Kafka last delivered something new, or the store was asked, on performance.now. */
  private readonly heard = new Map<number, number>();
  /** Partitions of which Kafka has delivered nothing since the store was asked for them. */
  private readonly asked = new Set<number>();

  constructor(
    transport: KafkaTransport,
    private readonly topic: string,
    group: string,
    private readonly subscriber: string,
    private readonly feed: Feed,
    private readonly calls: Calls,
  ) {
    this.membership = transport.join(group, topic, this);
  }

  /** The reason why Kafka delivers nothing, as long as that is so. */
  get problem(): string | undefined {
    return this.membership.problem;
  }

  assigned(partitions: number[]): void {
    this.partitions = [...partitions].sort((a, b) => a - b);
    for (const { consumed } of this.inboxes.values()) consumed(true);
    this.inboxes.clear();
    this.heard.clear();
    this.asked.clear();
    this.calls.lost();
    this.calls.wake();
  }

  received({ partition, messages }: ReceivedBatch): Promise<boolean> {
    if (!this.partitions.includes(partition)) return Promise.resolve(true);
    const notices = messages.flatMap((message) => noticeOf(message) ?? []);
    if (notices.length < messages.length) this.warn(partition);
    return new Promise((consumed) => {
      this.inboxes.set(partition, { notices, isSifted: false, news: false, consumed });
      this.calls.wake();
    });
  }

  async own(): Promise<void> {
    // The consumer group assigns the partitions.
  }

  async read(cursors: Cursor[], limit: number): Promise<FeedPage<RecordedEvent>> {
    await this.sift(cursors);
    const arrived: StoredEvent[] = [];
    const missing: Cursor[] = [];
    for (const cursor of cursors) {
      const next = this.next(cursor, limit);
      if (next.length > 0) this.hear(cursor.partition);
      arrived.push(...next);
      if (next.length === 0 && this.isMissing(cursor.partition)) missing.push(cursor);
    }
    const [fromKafka, { events: fromStore, more: isBehind }] = await Promise.all([
      this.feed.decode(arrived),
      missing.length > 0 ? this.feed.page(missing, limit) : { events: [], more: false },
    ]);
    // Only now: the store could be replaced between a check and the reading.
    if (arrived.length > 0 || missing.length > 0) await this.verify(cursors);
    for (const { partition } of missing) {
      if (isBehind) {
        this.asked.delete(partition);
      } else {
        this.heard.set(partition, performance.now());
        this.asked.add(partition);
      }
    }
    if (fromKafka.length > 0) taken.inc({ subscriber: this.subscriber, source: 'kafka' }, fromKafka.length);
    if (fromStore.length > 0) taken.inc({ subscriber: this.subscriber, source: 'store' }, fromStore.length);
    const events = [...fromKafka, ...fromStore];
    return { events, more: events.length > 0 && (this.inboxes.size > 0 || isBehind) };
  }

  async isHeldBack(): Promise<boolean> {
    // Kafka delivers held-back events once they are published.
    return false;
  }

  async close(): Promise<void> {
    const left = this.membership.leave();
    this.assigned([]);
    await left;
  }

  /**
   * Kafka shows no outage of the store, and a replica that lacks the last events may replace it. What that one records
   * next can come before a cursor, and would never be read.
   * @throws Error when the store has no event at a cursor; the cursors are then asked for again
   */
  private async verify(cursors: Cursor[]): Promise<void> {
    const strange = await this.feed.strange(cursors);
    if (!strange) return;
    const at = `${printPosition(strange.after)} in partition ${strange.partition}`;
    throw new Error(`The store no longer has the event at ${at}: it was restored to an earlier state`);
  }

  /** Removes messages that the store lacks: a restored store may have published events that no longer exist. */
  private async sift(cursors: Cursor[]): Promise<void> {
    const fresh = cursors.flatMap(({ partition, after }) => {
      const inbox = this.inboxes.get(partition);
      if (!inbox || inbox.isSifted) return [];
      const notices = inbox.notices.filter(({ at }) => comparePositions(at, after) > 0);
      return { partition, inbox, notices };
    });
    if (fresh.length === 0) return;
    const known = await this.feed.has(
      fresh.flatMap(({ partition, notices }) => notices.map((notice) => ({ ...notice, partition }))),
    );
    for (const { partition, inbox, notices } of fresh) {
      const has = known.splice(0, notices.length);
      inbox.notices = notices.filter((_, index) => has[index]);
      inbox.isSifted = true;
      if (inbox.notices.length < notices.length)
        this.log.warn(
          `Skipping events of topic ${this.topic} in partition ${partition} that the store does not have: the store was ` +
            'restored to an earlier state, or another installation publishes there. Delete the topic, or choose another KAFKA_TOPIC',
        );
    }
  }

  /** The events of a partition's inbox that follow on the cursor without a gap. */
  private next({ partition, after }: Cursor, limit: number): StoredEvent[] {
    const inbox = this.inboxes.get(partition);
    if (!inbox?.isSifted) return [];
    inbox.notices = inbox.notices.filter(({ at }) => comparePositions(at, after) > 0);
    if (inbox.notices.length === 0) {
      this.inboxes.delete(partition);
      inbox.consumed(inbox.news);
      // Kafka could deliver nothing more until now. Messages that were fetched before the store was asked cannot be new after
      // it. If they counted as silence, a subscriber that is busy for longer than SILENCE_MS would read only the store.
      if (inbox.news || this.asked.has(partition)) this.hear(partition);
      return [];
    }
    inbox.news = true;
    const next: StoredEvent[] = [];
    let reached = after;
    for (const notice of inbox.notices) {
      if (next.length === limit || comparePositions(notice.previous, reached) > 0) break;
      // Two publishers in succession have published it twice.
      if (comparePositions(notice.at, reached) <= 0) continue;
      const arrival = this.open(partition, notice);
      if (!arrival) {
        inbox.notices = inbox.notices.filter((other) => other !== notice);
        break;
      }
      next.push(arrival);
      reached = arrival.at;
    }
    return next;
  }

  private open(partition: number, notice: Notice): StoredEvent | undefined {
    try {
      return fromNotice(partition, notice);
    } catch {
      this.warn(partition);
      return undefined;
    }
  }

  private warn(partition: number): void {
    this.log.warn(
      `A message in partition ${partition} is not an event of this service; events are read from the store instead`,
    );
  }

  private hear(partition: number): void {
    this.heard.set(partition, performance.now());
    this.asked.delete(partition);
  }

  /** Whether the store must be read: the next message does not follow on the cursor, or none has come for a while. */
  private isMissing(partition: number): boolean {
    return (
      !!this.inboxes.get(partition)?.isSifted ||
      performance.now() - (this.heard.get(partition) ?? Number.NEGATIVE_INFINITY) >= SILENCE_MS
    );
  }
}
