import type { AnyDefinition } from '#event-store/events';
import type { StoredEvent } from '#event-store/feed';
import { START } from '#event-store/position';
import { openParent } from '#event-store/testing/commands';
import type { Config } from '#platform/config';
import type { RequestContext } from '#platform/request-context';
import { uniqueTopic } from '../../../test/support/kafka/broker';
import {
  administer,
  countMessages,
  type SeenMessage,
  TopicReader,
} from '../../../test/support/kafka/consumer';
import { createContext, createTestStore, type TestStore } from '../../../test/support/store';
import { waitFor } from '../../../test/support/wait-for';
import type { Subscription } from '../event-bus';
import { type KafkaProcess, openKafkaProcess } from './kafka-process';

export const PARTITIONS = 12;

/** A store of several tenants, a topic of its own, and processes that use both. */
export class KafkaTrial {
  private readonly processes: KafkaProcess[] = [];
  private readonly readers: TopicReader[] = [];

  private constructor(
    readonly brokers: string,
    readonly topic: string,
    readonly store: TestStore,
    readonly contexts: RequestContext[],
  ) {}

  static async open(
    brokers: string,
    definitions: readonly AnyDefinition[],
    topic = uniqueTopic(),
  ): Promise<KafkaTrial> {
    const store = await createTestStore(definitions);
    const contexts = await Promise.all([1, 2, 3].map(() => createContext(store)));
    return new KafkaTrial(brokers, topic, store, contexts);
  }

  process(given: Partial<Config> = {}): KafkaProcess {
    const settings = { EVENT_BUS: 'kafka' as const, KAFKA_BROKERS: this.brokers, KAFKA_TOPIC: this.topic };
    const one = openKafkaProcess(this.store, { ...settings, ...given });
    this.processes.push(one);
    return one;
  }

  async reader(): Promise<TopicReader> {
    const reader = await TopicReader.open(this.brokers, this.topic);
    this.readers.push(reader);
    return reader;
  }

  /** Writes events, in all tenants, with numbers as names. */
  async write(from: number, to: number): Promise<string[]> {
    const { store, contexts } = this;
    const names = Array.from({ length: to - from }, (_, index) => String(from + index));
    await Promise.all(
      names.map((name, index) => openParent(store.store, contexts[index % contexts.length], { name })),
    );
    return names;
  }

  /**
   * Every event of the store in its stored form. Waits for the feed, which any open transaction of the server holds
   * back.
   */
  async stored() {
    const { feed, writes } = this.store;
    const reached = new Map((await feed.partitions()).map((partition) => [partition, START]));
    const { rows } = await writes.pool.query<{ count: number }>(
      'select count(*)::integer as count from event_store.events',
    );
    const stored: StoredEvent[] = [];
    const isComplete = async () => {
      const cursors = [...reached].map(([partition, after]) => ({ partition, after }));
      const { events } = await feed.storedPage(cursors, 1_000_000);
      for (const { partition, at } of events) reached.set(partition, at);
      stored.push(...events);
      return stored.length >= rows[0].count;
    };
    await waitFor(isComplete, { description: 'the feed to show every event' });
    return stored;
  }

  /** Waits until the topic holds the given number of messages. */
  messages(count: number): Promise<unknown> {
    const holds = async () => (await countMessages(this.brokers, this.topic).catch(() => -1)) >= count;
    return waitFor(holds, { description: `${count} messages` });
  }

  /** All messages of the topic, once it has as many as the store has events. */
  async published(atLeast?: number): Promise<SeenMessage[]> {
    const reader = await this.reader();
    const count = atLeast ?? (await this.stored()).length;
    const holds = () => reader.messages.length >= count;
    await waitFor(holds, { description: `${count} messages` });
    return reader.messages;
  }

  /** Expects the messages to be all events of the store, with those of each partition in order. */
  async expectEveryEvent(messages: SeenMessage[]): Promise<void> {
    const reached = new Map<number, string>();
    const expected = (await this.stored()).map(({ row, partition }) => {
      const prev = reached.get(partition) ?? '0.0.0';
      reached.set(partition, row.at);
      const { type, at, event_id: id } = row;
      const numbers = { tenant: String(row.tenant_id), version: String(row.version) };
      return { partition, id, type, stream: row.stream_id, at, prev, ...numbers };
    });
    const seen = messages.map(({ partition, headers, value }) => {
      const { 'content-type': _, ...rest } = headers;
      return { partition, id: JSON.parse(value).id, ...rest };
    });
    expect(seen.sort((one, other) => one.partition - other.partition)).toEqual(expected);
  }

  owning(subscription: Subscription, count = PARTITIONS): Promise<unknown> {
    const owns = () => subscription.partitions().length === count;
    return waitFor(owns, { description: `${count} partitions` });
  }

  /** What the processes say of themselves. */
  async problems(): Promise<string[]> {
    return (await Promise.all(this.processes.map(({ health }) => health.degraded()))).flat();
  }

  async deleteTopic(): Promise<void> {
    await administer(this.brokers, (admin) => admin.deleteTopics({ topics: [this.topic] }));
  }

  async close(): Promise<void> {
    await Promise.all([...this.processes, ...this.readers].map((one) => one.close()));
    const topics = await administer(this.brokers, (admin) => admin.listTopics());
    if (topics.includes(this.topic)) await this.deleteTopic();
    await this.store.close();
  }
}
