import { EventBus, type Subscriber, type Subscription } from '#event-bus/event-bus';

/** A bus that the test turns by hand: nobody owns a partition, so that two runners can believe the same. */
export class HandBus extends EventBus {
  subscriber: Subscriber;

  subscribe(subscriber: Subscriber): Subscription {
    this.subscriber = subscriber;
    return { stop: async () => undefined, partitions: () => [] };
  }
}
