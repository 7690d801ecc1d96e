import { Logger } from '@nestjs/common';
import type { RecordedEvent } from '#event-store/events';
import {
  Parent,
  Person,
  type PersonEvent,
  type PersonState,
  parentOpened,
} from '#event-store/testing/streams';
import { newId } from '#kernel/ids';
import { describeWithKafka } from '../../../test/support/kafka/broker';
import { administer, createTopic } from '../../../test/support/kafka/consumer';
import { shared } from '../../../test/support/shared';
import { waitFor } from '../../../test/support/wait-for';
import { AuditedTrial, takenFromKafka } from '../testing/audited-trial';
import { Door } from '../testing/door';
import { type KafkaTrial, PARTITIONS } from '../testing/kafka-trial';
import { Ledger } from '../testing/ledger';
import { KafkaSource } from './kafka-source';

/** More events than a consumer would read only to pass over them. */
const MANY = 3_000;

describeWithKafka('the event bus over Kafka', () => {
  let brokers: string;
  let audited: AuditedTrial;
  let trial: KafkaTrial;
  let door: Door;

  beforeAll(async () => {
    brokers = await shared('kafka');
  });
  beforeEach(async () => {
    for (const level of ['error', 'warn', 'log', 'debug'] as const)
      jest.spyOn(Logger.prototype, level).mockImplementation();
    audited = await AuditedTrial.open(brokers);
    trial = audited.kafka;
    door = new Door();
  });
  afterEach(async () => {
    door.open();
    await trial.close();
    jest.restoreAllMocks();
  });

  /** Events of one tenant, a few hundred to the megabyte that a consumer fetches at once. */
  async function writeLarge(count: number): Promise<void> {
    const event = parentOpened('x'.repeat(1_500));
    for (let written = 0; written < count; written += 300)
      await trial.store.store.executeMany(trial.contexts[0], async (work) => {
        for (let index = 0; index < 300; index++) work.create(Parent, newId('client'), [event]);
      });
  }

  it('carries every event to a subscriber, once and in order', async () => {
    await audited.consuming();
    const before = await takenFromKafka('audit');
    await trial.write(3, 303);
    await audited.received(303);
    await audited.expectEveryEvent();
    expect((await takenFromKafka('audit')) - before).toBe(300);
  });

  it('reads from the store what was there before it, and events that Kafka has lost', async () => {
    const names = await trial.write(0, 50);
    const { bus, publisher } = trial.process();
    await publisher.start();
    await trial.messages(50);
    const subscription = bus.subscribe(audited.ledger.subscriber('only'));
    await audited.received(50);
    await trial.owning(subscription);
    await trial.deleteTopic();
    names.push(...(await trial.write(50, 100)));
    await audited.received(100);
    names.push(...(await trial.write(100, 150)));
    await audited.received(150);
    expect(audited.ledger.names).toEqual(names.sort());
    // The process that made the topic again has filled it again too.
    await trial.messages(150);
  });

  it('goes to the end of the topic when it meets events that it already knows', async () => {
    const first = await audited.consuming();
    const { length } = trial.contexts;
    await writeLarge(MANY);
    await audited.received(length + MANY);
    await first.stop();
    await audited.toTheBeginning();
    const reading = jest.spyOn(KafkaSource.prototype, 'received');
    await trial.owning(trial.process().bus.subscribe(audited.ledger.subscriber('second')));
    const read = () => reading.mock.calls.reduce((sum, [{ messages }]) => sum + messages.length, 0);
    await waitFor(() => read() > length, { description: 'the second to read events that it already knows' });
    await Promise.all(reading.mock.results.map(({ value }) => value));
    const before = await takenFromKafka('audit');
    // If Kafka is slow, the first of these events come from the store.
    let expected = length + MANY;
    const isTaken = async () => {
      await trial.write(0, 100);
      await audited.received((expected += 100));
      return (await takenFromKafka('audit')) > before;
    };
    await waitFor(isTaken, { description: 'events to be taken from Kafka' });
    expect(read()).toBeLessThan(MANY / 2);
  });

  it('shares the partitions out among processes, and again when one leaves', async () => {
    const one = await audited.consuming();
    const second = trial.process();
    await second.publisher.start();
    await trial.write(3, 50);
    await audited.received(50);
    const other = second.bus.subscribe(audited.ledger.subscriber('second'));
    await trial.owning(other, PARTITIONS / 2);
    await trial.owning(one, PARTITIONS / 2);
    await trial.write(50, 100);
    await audited.received(100);
    await one.stop();
    await trial.owning(other);
    await trial.write(100, 150);
    await audited.received(150);
    await audited.expectEveryEvent();
    expect(audited.ledger.received.slice(100).every(({ by }) => by === 'second')).toBe(true);
  });

  it('takes partitions that are added to a topic that had too few', async () => {
    const { topic } = trial;
    await createTopic(brokers, topic, PARTITIONS / 2);
    const subscription = trial.process().bus.subscribe(audited.ledger.subscriber('first'));
    await trial.owning(subscription, PARTITIONS / 2);
    const topicPartitions = [{ topic, count: PARTITIONS }];
    await administer(brokers, (admin) => admin.createPartitions({ topicPartitions }));
    await trial.owning(subscription);
  });

  it('hands partitions over while a batch from them is still in hand', async () => {
    const { bus, publisher } = trial.process();
    await publisher.start();
    const one = bus.subscribe(audited.ledger.subscriber('first', door.pass));
    await trial.owning(one);
    await trial.write(0, 100);
    await waitFor(() => door.reached, { description: 'the first to have a batch in hand' });

    const others = [trial.process(), trial.process()].map(({ bus }, index) =>
      bus.subscribe(audited.ledger.subscriber(`other ${index}`)),
    );
    await Promise.all(others.map((other) => trial.owning(other, PARTITIONS / 3)));
    await trial.write(100, 150);
    const theirs = new Set(others.flatMap((other) => other.partitions()));
    const events = (await trial.stored()).filter(({ partition }) => theirs.has(partition));
    await audited.received(events.length);
    door.open();
    await audited.received(150);
    await trial.write(150, 200);
    await audited.received(200);
    await audited.expectEveryEvent();
  });

  it('reads personal data with the current key, and as erased when the key is gone', async () => {
    const { store, contexts } = trial;
    await audited.consuming();
    const people = new Ledger('people');
    const seen: PersonState[] = [];
    const lookAt = async (events: RecordedEvent[]) => {
      const states = events.flatMap(({ event }) => (event.type === 'PersonNamed' ? event.data : []));
      seen.push(...(states as PersonState[]));
      if (seen.length !== 1) return;
      await store.writes.pool.query('delete from event_store.subject_keys');
      throw new Error('The same again');
    };
    const subscription = trial.process().bus.subscribe(people.subscriber('only', lookAt));
    await trial.owning(subscription);
    await waitFor(() => people.received.length === 3, { description: 'the events that were there before' });
    const ada: PersonEvent = { type: 'PersonNamed', data: { fullName: 'Ada Lovelace', title: 'Countess' } };
    await store.store.execute(contexts[0], async (work) => work.create(Person, newId('entity'), [ada]));
    await waitFor(() => seen.length === 2, { description: 'the person to be seen twice' });
    expect(seen).toEqual([ada.data, { fullName: 'Erased', title: 'Countess' }]);
    expect(await takenFromKafka('people')).toBe(2);
  });
});
