import { register } from 'prom-client';
import { Parent, Person } from '#event-store/testing/streams';
import { administer } from '../../../test/support/kafka/consumer';
import { waitFor } from '../../../test/support/wait-for';
import type { Subscription } from '../event-bus';
import { KafkaTrial, PARTITIONS } from './kafka-trial';
import { Ledger } from './ledger';

/** How many events the subscribers of a name have taken from Kafka in this process. */
export async function takenFromKafka(subscriber: string): Promise<number> {
  const { values } = await register.getSingleMetric('event_bus_events_total')!.get();
  const isTheirs = ({ labels }: (typeof values)[number]) =>
    labels.source === 'kafka' && labels.subscriber === subscriber;
  return values.find(isTheirs)?.value ?? 0;
}

/** A trial whose events are consumed by subscribers of the name `audit`, which share a ledger. */
export class AuditedTrial {
  ledger = new Ledger('audit');

  private constructor(readonly kafka: KafkaTrial) {}

  static async open(brokers: string): Promise<AuditedTrial> {
    return new AuditedTrial(await KafkaTrial.open(brokers, [Parent, Person]));
  }

  /** Starts a process that publishes, with a subscriber that owns every partition and has had an event of each tenant. */
  async consuming(): Promise<Subscription> {
    const { kafka, ledger } = this;
    const { bus, publisher } = kafka.process();
    await publisher.start();
    const subscription = bus.subscribe(ledger.subscriber('first'));
    await kafka.owning(subscription);
    await kafka.write(0, kafka.contexts.length);
    await this.received(kafka.contexts.length);
    return subscription;
  }

  /** Waits until the ledger has the given number of events. */
  received(count: number): Promise<unknown> {
    return waitFor(() => this.ledger.received.length >= count, { description: `${count} events` });
  }

  /** Expects the ledger to have every event of the store, once. */
  async expectEveryEvent(): Promise<void> {
    const ids = (await this.kafka.stored()).map(({ row }) => row.event_id).sort();
    expect(this.ledger.received.map(({ event }) => event.eventId).sort()).toEqual(ids);
  }

  /** Sets the offsets of the group, which must not have members, to the beginning of the topic. */
  async toTheBeginning(): Promise<void> {
    const { brokers, topic, store } = this.kafka;
    const groupId = `${topic}.audit.${store.installation.id}`;
    const partitions = Array.from({ length: PARTITIONS }, (_, partition) => ({ partition, offset: '0' }));
    await administer(brokers, (admin) => admin.setOffsets({ groupId, topic, partitions }));
  }
}
