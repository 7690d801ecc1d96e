import { Logger } from '@nestjs/common';
import { CompressionCodecs, CompressionTypes, Kafka, logLevel } from 'kafkajs';
import { register } from 'prom-client';
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
import type { Subscription } from '../event-bus';
import { Door } from '../testing/door';
import { KafkaTrial, PARTITIONS } from '../testing/kafka-trial';
import { Ledger } from '../testing/ledger';
import { KafkaSource } from './kafka-source';

/** More than a consumer would read only to pass them over. */
const MANY = 3_000;

describeWithKafka('the event bus over Kafka', () => {
  let brokers: string;
  let trial: KafkaTrial;
  let ledger: Ledger;
  let door: Door;

  beforeAll(async () => {
    brokers = await shared('kafka');
  });
  beforeEach(async () => {
    for (const level of ['error', 'warn', 'log', 'debug'] as const)
      jest.spyOn(Logger.prototype, level).mockImplementation();
    trial = await KafkaTrial.open(brokers, [Parent, Person]);
    ledger = new Ledger('audit');
    door = new Door();
  });
  afterEach(async () => {
    door.open();
    await trial.close();
    jest.restoreAllMocks();
  });

  const received = (count: number) =>
    waitFor(() => ledger.received.length >= count, { description: `${count} events` });
  async function takenFromKafka(subscriber: string): Promise<number> {
    const { values } = await register.getSingleMetric('event_bus_events_total')!.get();
    const isTheirs = ({ labels }: (typeof values)[number]) =>
      labels.source === 'kafka' && labels.subscriber === subscriber;
    return values.find(isTheirs)?.value ?? 0;
  }
  /** Events of one tenant, a few hundred to the megabyte that a consumer fetches at once. */
  async function writeLarge(count: number): Promise<void> {
    const event = parentOpened('x'.repeat(1_500));
    for (let written = 0; written < count; written += 300)
      await trial.store.store.executeMany(trial.contexts[0], async (work) => {
        for (let index = 0; index < 300; index++) work.create(Parent, newId('client'), [event]);
      });
  }
  /** A process that publishes, with a subscriber that has every partition and has had an event of each tenant. */
  async function consuming(): Promise<Subscription> {
    const { bus, publisher } = trial.process();
    await publisher.start();
    const subscription = bus.subscribe(ledger.subscriber('first'));
    await trial.owning(subscription);
    await trial.write(0, trial.contexts.length);
    await received(trial.contexts.length);
    return subscription;
  }

  it('carries every event to a subscriber, once and in order', async () => {
    await consuming();
    const before = await takenFromKafka('audit');
    await trial.write(3, 303);
    await received(303);
    expect(ledger.received.map(({ event }) => event.eventId).sort()).toEqual(await ids());
    expect((await takenFromKafka('audit')) - before).toBe(300);
  });

  it('reads what was there before it from the store, and events that Kafka has lost', async () => {
    const names = await trial.write(0, 50);
    const { bus, publisher } = trial.process();
    await publisher.start();
    await trial.messages(50);
    const subscription = bus.subscribe(ledger.subscriber('only'));
    await received(50);
    await trial.owning(subscription);
    await trial.deleteTopic();
    names.push(...(await trial.write(50, 100)));
    await received(100);
    names.push(...(await trial.write(100, 150)));
    await received(150);
    expect(ledger.names).toEqual(names.sort());
    // Whoever made the topic again filled it again.
    await trial.messages(150);
  });

  it('goes to the end of the topic when it finds itself among what it knows', async () => {
    const first = await consuming();
    const { length } = trial.contexts;
    await writeLarge(MANY);
    await received(length + MANY);
    await first.stop();
    await toTheBeginning();
    const reading = jest.spyOn(KafkaSource.prototype, 'received');
    await trial.owning(trial.process().bus.subscribe(ledger.subscriber('second')));
    const read = () => reading.mock.calls.reduce((sum, [{ messages }]) => sum + messages.length, 0);
    await waitFor(() => read() > length, { description: 'the second to read what it knows' });
    await Promise.all(reading.mock.results.map(({ value }) => value));
    const before = await takenFromKafka('audit');
    // Where Kafka is slow, the store tells of the first of them.
    let expected = length + MANY;
    const isTaken = async () => {
      await trial.write(0, 100);
      await received((expected += 100));
      return (await takenFromKafka('audit')) > before;
    };
    await waitFor(isTaken, { description: 'events from Kafka' });
    expect(read()).toBeLessThan(MANY / 2);
  });

  it('shares the partitions out among processes, and again when one leaves', async () => {
    const one = await consuming();
    const second = trial.process();
    await second.publisher.start();
    await trial.write(3, 50);
    await received(50);
    const other = second.bus.subscribe(ledger.subscriber('second'));
    await trial.owning(other, PARTITIONS / 2);
    await trial.owning(one, PARTITIONS / 2);
    await trial.write(50, 100);
    await received(100);
    await one.stop();
    await trial.owning(other);
    await trial.write(100, 150);
    await received(150);
    expect(ledger.received.map(({ event }) => event.eventId).sort()).toEqual(await ids());
    expect(ledger.received.slice(100).every(({ by }) => by === 'second')).toBe(true);
  });

  it('takes partitions that a topic is given, as one that was made with too few', async () => {
    const { topic } = trial;
    await createTopic(brokers, topic, PARTITIONS / 2);
    const subscription = trial.process().bus.subscribe(ledger.subscriber('first'));
    await trial.owning(subscription, PARTITIONS / 2);
    const topicPartitions = [{ topic, count: PARTITIONS }];
    await administer(brokers, (admin) => admin.createPartitions({ topicPartitions }));
    await trial.owning(subscription);
  });

  it('hands partitions over while a batch of them is in hand', async () => {
    const { bus, publisher } = trial.process();
    await publisher.start();
    const one = bus.subscribe(ledger.subscriber('first', door.pass));
    await trial.owning(one);
    await trial.write(0, 100);
    await waitFor(() => door.reached, { description: 'the first to have a batch in hand' });

    const others = [trial.process(), trial.process()].map(({ bus }, index) =>
      bus.subscribe(ledger.subscriber(`other ${index}`)),
    );
    await Promise.all(others.map((other) => trial.owning(other, PARTITIONS / 3)));
    await trial.write(100, 150);
    const theirs = new Set(others.flatMap((other) => other.partitions()));
    const events = (await trial.stored()).filter(({ partition }) => theirs.has(partition));
    await received(events.length);
    door.open();
    await received(150);
    await trial.write(150, 200);
    await received(200);
    expect(ledger.received.map(({ event }) => event.eventId).sort()).toEqual(await ids());
  });

  it('passes over what others have put into the topic', async () => {
    await consuming();
    const { partition } = trial.contexts[0].tenant;
    const next = `1.${2n ** 40n}.1`;
    const envelope = { type: 'ParentOpened', tenant: '1', stream: newId('client'), version: '1' };
    const messages = [
      { value: 'hello' },
      { value: null },
      { value: '{}', headers: { type: 'ParentOpened', at: '1.1.1' } },
      { value: '{}', headers: { ...envelope, at: '99.1.1', prev: '0.0.0' } },
      { value: '{}', headers: { ...envelope, at: next, prev: '0.0.0' } },
    ].map((message) => ({ ...message, partition }));
    const kafka = new Kafka({ brokers: brokers.split(','), logLevel: logLevel.NOTHING });
    const producer = kafka.producer();
    await producer.connect();
    await producer.send({ topic: trial.topic, messages });
    await producer.disconnect();
    await trial.write(3, 50);
    await received(50);
    expect(ledger.received.map(({ event }) => event.eventId).sort()).toEqual(await ids());
  });

  it('passes over what others have compressed as it cannot read, and goes on with Kafka', async () => {
    const subscription = await consuming();
    const { partition } = trial.contexts[0].tenant;
    await sendInSnappy({ value: 'hello', partition });
    const hasMetIt = async () => (await trial.problems()).some((each) => each.includes('Snappy'));
    await waitFor(hasMetIt, { description: 'the message to be met' });
    await trial.owning(subscription);
    await waitFor(async () => (await trial.problems()).length === 0, { description: 'no problem' });
    const before = await takenFromKafka('audit');
    let expected = trial.contexts.length;
    const isTaken = async () => {
      await trial.write(0, 30);
      await received((expected += 30));
      return (await takenFromKafka('audit')) > before;
    };
    await waitFor(isTaken, { description: 'events from Kafka' });
    await trial.owning(subscription);
    expect(await trial.problems()).toEqual([]);
    expect(ledger.received.map(({ event }) => event.eventId).sort()).toEqual(await ids());
  });

  it('brings each of two installations all that is its own, though they share a topic', async () => {
    const subscription = await consuming();
    const other = await KafkaTrial.open(brokers, [Parent, Person], trial.topic);
    try {
      const { bus, publisher } = other.process();
      await publisher.start();
      const theirs = new Ledger('audit');
      await other.owning(bus.subscribe(theirs.subscriber('other')));
      await trial.owning(subscription);
      const names = [...(await other.write(0, 30)).sort()];
      await trial.write(3, 33);
      await received(33);
      await waitFor(() => theirs.received.length >= 30, { description: 'what is theirs' });
      expect(theirs.names).toEqual(names);
      expect(ledger.received.map(({ event }) => event.eventId).sort()).toEqual(await ids());
    } finally {
      await other.close();
    }
  });

  it('tells of nothing that the store has no more since it was restored, and says what to do', async () => {
    const { pool } = trial.store.writes;
    await trial.write(0, 30);
    await pool.query('create table kept as table event_store.events');
    const first = trial.process();
    await first.publisher.start();
    await trial.messages(30);
    await first.close();
    await pool.query('create table kept_published as table event_store.published');
    await trial.write(30, 60);
    const before = trial.process();
    await before.publisher.start();
    await trial.owning(before.bus.subscribe(ledger.subscriber('before')));
    await received(60);
    await trial.messages(60);
    await before.close();
    await toTheBeginning();
    await pool.query('delete from event_store.events where event_id not in (select event_id from kept)');
    await pool.query('delete from event_store.published');
    await pool.query('insert into event_store.published table kept_published');

    ledger = new Ledger('audit');
    const { bus, publisher } = trial.process();
    await publisher.start();
    const warnings = jest.spyOn(Logger.prototype, 'warn').mockImplementation();
    await trial.owning(bus.subscribe(ledger.subscriber('after')));
    const isSaid = () =>
      warnings.mock.calls.some(([line]) => /events of topic .* that the store has not: .*Delete/.test(line));
    const isTold = () => ledger.received.length > 30;
    await waitFor(() => isSaid() || isTold(), { description: 'what the topic tells' });
    await trial.write(60, 90);
    await received(60);
    expect(ledger.received.map(({ event }) => event.eventId).sort()).toEqual(await ids());
    expect(isSaid()).toBe(true);
  });

  it('shows what is personal with the key of now, and as erased when that is gone', async () => {
    const { store, contexts } = trial;
    await consuming();
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
    await waitFor(() => people.received.length === 3, { description: 'what was there before' });
    const ada: PersonEvent = { type: 'PersonNamed', data: { fullName: 'Ada Lovelace', title: 'Countess' } };
    await store.store.execute(contexts[0], async (work) => work.create(Person, newId('entity'), [ada]));
    await waitFor(() => seen.length === 2, { description: 'the person twice' });
    expect(seen).toEqual([ada.data, { fullName: 'Erased', title: 'Countess' }]);
    expect(await takenFromKafka('people')).toBe(2);
  });

  /** Compressed in a way that kafkajs cannot undo, and brokers take: one piece as it is, behind its length. */
  async function sendInSnappy(message: { value: string; partition: number }): Promise<void> {
    const lacking = CompressionCodecs[CompressionTypes.Snappy];
    CompressionCodecs[CompressionTypes.Snappy] = () => ({
      compress: async ({ buffer }: { buffer: Buffer }) =>
        Buffer.concat([Buffer.from([buffer.length, (buffer.length - 1) << 2]), buffer]),
      decompress: async () => lacking(),
    });
    const kafka = new Kafka({ brokers: brokers.split(','), logLevel: logLevel.NOTHING });
    const producer = kafka.producer();
    try {
      await producer.connect();
      await producer.send({
        topic: trial.topic,
        compression: CompressionTypes.Snappy,
        messages: [message],
      });
    } finally {
      CompressionCodecs[CompressionTypes.Snappy] = lacking;
      await producer.disconnect();
    }
  }

  /** The offsets of the group, which has no members. */
  async function toTheBeginning(): Promise<void> {
    const { topic, store } = trial;
    const groupId = `${topic}.audit.${store.installation.id}`;
    const partitions = Array.from({ length: PARTITIONS }, (_, partition) => ({ partition, offset: '0' }));
    await administer(brokers, (admin) => admin.setOffsets({ groupId, topic, partitions }));
  }
  /** Of every event in the store. */
  const ids = async () => (await trial.stored()).map(({ row }) => row.event_id).sort();
});
