import { EventBus, type Subscriber, type Subscription } from '#event-bus/event-bus';

/**
 * A bus that the test drives by hand. Nobody owns a partition, so two runners can believe that they own the same one.
 */
export class HandBus extends EventBus {
  subscriber: Subscriber;

  subscribe(subscriber: Subscriber): Subscription {
    this.subscriber = subscriber;
    return { stop: async () => undefined, partitions: () => [] };
  }
}
