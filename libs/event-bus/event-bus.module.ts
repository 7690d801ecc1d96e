import { Module } from '@nestjs/common';
import { Config } from '#platform/config';
import { EventBus } from './event-bus';
import { KafkaEventBus } from './kafka/kafka-event-bus';
import { KafkaPublisher } from './kafka/kafka-publisher';
import { KafkaJsTransport } from './kafka/kafkajs-transport';
import { Published } from './kafka/published';
import { KafkaTransport } from './kafka/transport';
import { StoreEventBus } from './store-event-bus';

/** Provides the event bus that EVENT_BUS selects. Needs PlatformModule and EventStoreModule. */
@Module({
  providers: [
    StoreEventBus,
    KafkaEventBus,
    KafkaPublisher,
    Published,
    { provide: KafkaTransport, useClass: KafkaJsTransport },
    {
      provide: EventBus,
      inject: [Config, StoreEventBus, KafkaEventBus],
      useFactory: ({ EVENT_BUS }: Config, store: StoreEventBus, kafka: KafkaEventBus) =>
        EVENT_BUS === 'kafka' ? kafka : store,
    },
  ],
  exports: [EventBus, KafkaPublisher],
})
export class EventBusModule {}
