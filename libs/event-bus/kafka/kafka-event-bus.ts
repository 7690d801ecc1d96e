import { Injectable, type OnApplicationShutdown } from '@nestjs/common';
import { Feed } from '#event-store/feed';
import { Installation } from '#platform/auth/installation';
import { Config } from '#platform/config';
import { Health } from '#platform/observability/health';
import { Consumer } from '../consumer';
import { EventBus, type Subscriber, type Subscription } from '../event-bus';
import { KafkaSource } from './kafka-source';
import { KafkaTransport } from './transport';

/**
 * Kafka carries the events to a consumer group for each subscriber; the subscribers' checkpoints decide what is next. The
 * group's name has the installation's id: another installation with the same topic on the same brokers would otherwise join
 * the group, and each would read only the partitions assigned to its own processes.
 */
@Injectable()
export class KafkaEventBus extends EventBus implements OnApplicationShutdown {
  private readonly consumers: Consumer[] = [];

  constructor(
    private readonly config: Config,
    private readonly installation: Installation,
    private readonly feed: Feed,
    private readonly transport: KafkaTransport,
    health: Health,
  ) {
    super();
    health.watch(async () => this.consumers.flatMap(({ problems }) => problems));
  }

  subscribe(subscriber: Subscriber): Subscription {
    const { KAFKA_TOPIC, PROJECTION_BATCH } = this.config;
    const consumer = new Consumer(subscriber, PROJECTION_BATCH, (calls) => {
      const group = `${KAFKA_TOPIC}.${subscriber.name}.${this.installation.id}`;
      return new KafkaSource(this.transport, KAFKA_TOPIC, group, subscriber.name, this.feed, calls);
    });
    this.consumers.push(consumer);
    return consumer;
  }

  async onApplicationShutdown(): Promise<void> {
    await Promise.all(this.consumers.map((consumer) => consumer.stop()));
  }
}
