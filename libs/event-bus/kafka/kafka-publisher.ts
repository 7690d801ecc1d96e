import { Injectable, Logger, type OnApplicationShutdown } from '@nestjs/common';
import { SpanKind } from '@opentelemetry/api';
import { Definitions } from '#event-store/events';
import { type Cursor, Feed, type FeedPage, lagOf, type StoredEvent } from '#event-store/feed';
import { recordEventSpans } from '#event-store/feed/event-spans';
import { comparePositions, type Position, START } from '#event-store/position';
import { Clock } from '#kernel/clock';
import { toId } from '#kernel/ids';
import { Config, ConfigError } from '#platform/config';
import { registerGauge } from '#platform/observability/gauge';
import { Health } from '#platform/observability/health';
import { Consumer } from '../consumer';
import { StoreSource } from '../store-source';
import { type EventMessage, toMessage } from './cloud-event';
import { Published, type PublishedMove } from './published';
import { KafkaTransport, TooLarge } from './transport';

const NAME = 'publisher';
/** The largest event, and a batch of this size, stay below the megabyte that a topic accepts at once by default. */
const BATCH_BYTES = 512 * 1024;

interface Batch {
  events: StoredEvent[];
  messages: EventMessage[];
  bytes: number;
  moves: Map<number, PublishedMove>;
}

const emptyBatch = (): Batch => ({ events: [], messages: [], bytes: 0, moves: new Map() });

/**
 * Publishes the store's events to Kafka. One process at a time publishes a partition, by a lock that ends with its session.
 * The checkpoint is moved after the brokers have acknowledged, so that a crash repeats messages and never loses one.
 */
@Injectable()
export class KafkaPublisher implements OnApplicationShutdown {
  private readonly log = new Logger(KafkaPublisher.name);
  private consumer?: Consumer<StoredEvent>;
  private readonly reached = new Map<number, Position>();
  /** By partition: when a batch with its messages last failed, on performance.now. Empty after success. */
  private readonly refused = new Map<number, number>();
  /** The bytes of a batch, unless it is a single message. Halved when a topic with a lower limit refuses a batch. */
  private batchBytes = BATCH_BYTES;

  constructor(
    private readonly config: Config,
    private readonly feed: Feed,
    private readonly definitions: Definitions,
    private readonly transport: KafkaTransport,
    private readonly published: Published,
    private readonly health: Health,
    private readonly clock: Clock,
  ) {}

  /**
   * Publishes until the process ends; does nothing when EVENT_BUS is not Kafka. Retries while no broker answers.
   * @throws ConfigError when the topic has another number of partitions than the store
   */
  async start(): Promise<void> {
    if (this.config.EVENT_BUS !== 'kafka') return;
    await this.openTopic().catch((error: Error) => {
      if (error instanceof ConfigError) throw error;
      this.log.warn(`Kafka does not answer yet: ${error.message}`);
    });
    const subscriber = {
      name: NAME,
      cursors: (partitions: number[]) => this.cursors(partitions),
      handle: (events: StoredEvent[]) => this.handle(events),
    };
    const page = (cursors: Cursor[], limit: number) => this.page(cursors, limit);
    const { databaseUrl, PROJECTION_BATCH } = this.config;
    const consumer = new Consumer<StoredEvent>(
      subscriber,
      PROJECTION_BATCH,
      (calls) => new StoreSource(databaseUrl, NAME, this.feed, page, calls),
    );
    this.consumer = consumer;
    registerGauge(
      'event_bus_publish_lag_seconds',
      'Age of the oldest event of a partition that was not published to Kafka yet; 0 when all were.',
      ['partition'],
      (set) => this.lag(set),
    );
    this.health.watch(async () => consumer.problems);
  }

  async onApplicationShutdown(): Promise<void> {
    await this.consumer?.stop();
    await this.transport.close();
  }

  /** Creates the topic if it is missing. */
  private async openTopic(): Promise<void> {
    const { KAFKA_TOPIC: topic, KAFKA_REPLICATION } = this.config;
    const partitions = await this.feed.partitions();
    const wanted = partitions.length;
    const found = await this.transport.partitionsOf(topic);
    if (found === wanted) return;
    if (found !== undefined)
      throw new ConfigError([
        `Topic ${topic} has ${found} partitions instead of ${wanted}. ` +
          'Delete it, so that it is created again with every event, or choose another KAFKA_TOPIC',
      ]);
    if (await this.transport.createTopic(topic, wanted, KAFKA_REPLICATION)) {
      // Not before: the topic may exist and be hidden. Another process that still publishes where it was, unaware of the
      // new topic, then finds its checkpoints moved and begins again. After a crash right here, `checkpoints` does this.
      await this.published.forget(topic, partitions);
      this.log.log(
        `Created topic ${topic} with ${wanted} partitions: publishing the history from its beginning`,
      );
      return;
    }
    if ((await this.transport.partitionsOf(topic)) === undefined)
      throw new Error(
        `Topic ${topic} exists but is not visible: another process has just created it, or KAFKA_USERNAME has no right to describe it`,
      );
  }

  /** The publisher's cursors. Also asked after each failure, when the topic may have been deleted. */
  private async cursors(partitions: number[]) {
    await this.openTopic();
    // Forgets failures of partitions that another process publishes now.
    for (const partition of this.refused.keys())
      if (!partitions.includes(partition)) this.refused.delete(partition);
    const cursors = await this.checkpoints(partitions);
    for (const { partition, after } of cursors) this.reached.set(partition, after);
    return cursors;
  }

  /**
   * The checkpoints; at the start for a partition that never held a message, because its topic is a new one: created by
   * hand, or by a publisher that crashed before it could forget the checkpoints.
   */
  private async checkpoints(partitions: number[]): Promise<Cursor[]> {
    const { KAFKA_TOPIC: topic } = this.config;
    const cursors = await this.published.positions(topic, partitions);
    const begun = cursors.filter(({ after }) => comparePositions(after, START) > 0);
    if (begun.length === 0) return cursors;
    const unwritten = new Set(await this.transport.unwritten(topic));
    const again = begun.map(({ partition }) => partition).filter((partition) => unwritten.has(partition));
    if (again.length === 0) return cursors;
    await this.beginAgain(again);
    return this.published.positions(topic, partitions);
  }

  private async beginAgain(partitions: number[]): Promise<void> {
    const { KAFKA_TOPIC: topic } = this.config;
    await this.published.forget(topic, partitions);
    this.log.log(
      `Topic ${topic} was created anew with partitions ${partitions.join(', ')}: publishing their history from its beginning`,
    );
  }

  /**
   * A page of events, with those of recently failed partitions last: a page is handed over part by part until one fails, so
   * that healthy partitions come first.
   */
  private async page(cursors: Cursor[], limit: number): Promise<FeedPage<StoredEvent>> {
    const { events, more } = await this.feed.storedPage(cursors, limit);
    const refusedAt = ({ partition }: StoredEvent) => this.refused.get(partition) ?? 0;
    return { events: events.sort((one, other) => refusedAt(one) - refusedAt(other)), more };
  }

  /** @returns false as soon as a partition is no longer owned by this process */
  private async handle(events: StoredEvent[]): Promise<boolean> {
    for (const group of this.groups(events))
      for (const batch of this.batches(group)) if (!(await this.publish(batch))) return false;
    return true;
  }

  /**
   * All events together; after a failure, each partition separately. Otherwise a partition that the brokers refuse (for an
   * event that is too large, for example) would hold back all others and have them published again at each attempt.
   */
  private groups(events: StoredEvent[]): StoredEvent[][] {
    if (this.refused.size === 0) return [events];
    const partitions = [...new Set(events.map(({ partition }) => partition))];
    return partitions.map((partition) => events.filter((event) => event.partition === partition));
  }

  private async publish({ events, messages, bytes, moves }: Batch): Promise<boolean> {
    const topic = this.config.KAFKA_TOPIC;
    const owned = this.consumer!.partitions();
    const partitions = [...moves.keys()];
    if (partitions.some((partition) => !owned.includes(partition))) return false;
    const startedAt = Date.now();
    let begun: number[];
    try {
      begun = await this.transport.send(topic, messages);
    } catch (error) {
      for (const partition of partitions) this.refused.set(partition, performance.now());
      // A refused batch is larger than the limit, so that half of it comes close to the limit, and never far below it.
      if (error instanceof TooLarge && messages.length > 1) this.batchBytes = bytes / 2;
      // The brokers would refuse it from any process.
      if (error instanceof TooLarge) this.consumer!.progresses();
      throw error;
    }
    this.consumer!.progresses();
    for (const partition of partitions) this.refused.delete(partition);
    recordEventSpans(events, { name: (type) => `publish ${type}`, kind: SpanKind.PRODUCER, startedAt });
    // The topic was created anew since the cursors were read; `checkpoints` finds the partitions that are still empty.
    const anew = begun.filter((partition) => comparePositions(moves.get(partition)!.from, START) > 0);
    if (anew.length > 0) {
      await this.beginAgain(anew);
      return false;
    }
    if (!(await this.published.move(topic, [...moves.values()]))) return false;
    for (const { partition, to } of moves.values()) this.reached.set(partition, to);
    return true;
  }

  private *batches(events: StoredEvent[]): Generator<Batch> {
    let batch = emptyBatch();
    for (const event of events) {
      const { partition, at } = event;
      const previous = batch.moves.get(partition)?.to ?? this.reached.get(partition)!;
      const message = toMessage(event, this.subject(event), previous);
      const bytes = Buffer.byteLength(message.value);
      if (batch.messages.length > 0 && batch.bytes + bytes > this.batchBytes) {
        yield batch;
        batch = emptyBatch();
      }
      batch.events.push(event);
      batch.messages.push(message);
      batch.bytes += bytes;
      batch.moves.set(partition, { partition, from: batch.moves.get(partition)?.from ?? previous, to: at });
    }
    if (batch.messages.length > 0) yield batch;
  }

  private async lag(set: (seconds: number, partition: string) => void): Promise<void> {
    const { KAFKA_TOPIC } = this.config;
    const cursors = await this.published.positions(KAFKA_TOPIC, await this.feed.partitions());
    const now = this.clock.now();
    for (const [index, oldest] of (await this.feed.oldest(cursors)).entries())
      set(lagOf(oldest, now), String(cursors[index].partition));
  }

  /** The record's id as REST shows it. For an event type that only a newer version knows, the stream's UUID. */
  private subject({ row, streamId }: StoredEvent): string {
    return this.definitions.has(row.type) ? toId(this.definitions.ofType(row.type).kind, streamId) : streamId;
  }
}
