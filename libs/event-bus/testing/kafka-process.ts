import { SystemClock } from '#kernel/clock';
import type { Config } from '#platform/config';
import { Health } from '#platform/observability/health';
import type { TestStore } from '../../../test/support/store';
import { KafkaEventBus } from '../kafka/kafka-event-bus';
import { KafkaPublisher } from '../kafka/kafka-publisher';
import { KafkaJsTransport } from '../kafka/kafkajs-transport';
import { Published } from '../kafka/published';

/** The parts of a process that deal with Kafka, without Nest. */
export function openKafkaProcess(store: TestStore, given: Partial<Config>) {
  const config: Config = Object.assign(
    Object.create(Object.getPrototypeOf(store.config)),
    store.config,
    given,
  );
  const health = new Health();
  const transport = new KafkaJsTransport(config);
  const published = new Published(store.writes);
  const { definitions } = store.codec;
  const bus = new KafkaEventBus(config, store.installation, store.feed, transport, health);
  const publisher = new KafkaPublisher(
    config,
    store.feed,
    definitions,
    transport,
    published,
    health,
    new SystemClock(),
  );
  return {
    bus,
    publisher,
    transport,
    published,
    health,
    async close(): Promise<void> {
      await Promise.all([bus.onApplicationShutdown(), publisher.onApplicationShutdown()]);
    },
  };
}

export type KafkaProcess = ReturnType<typeof openKafkaProcess>;
