import { Logger } from '@nestjs/common';
import { CompressionCodecs, CompressionTypes, Kafka, logLevel } from 'kafkajs';
import { Parent, Person } from '#event-store/testing/streams';
import { newId } from '#kernel/ids';
import { describeWithKafka } from '../../../test/support/kafka/broker';
import { shared } from '../../../test/support/shared';
import { waitFor } from '../../../test/support/wait-for';
import { AuditedTrial, takenFromKafka } from '../testing/audited-trial';
import { KafkaTrial } from '../testing/kafka-trial';
import { Ledger } from '../testing/ledger';

describeWithKafka('a topic with messages that are not events of the store', () => {
  let brokers: string;
  let audited: AuditedTrial;
  let trial: KafkaTrial;

  beforeAll(async () => {
    brokers = await shared('kafka');
  });
  beforeEach(async () => {
    for (const level of ['error', 'warn', 'log', 'debug'] as const)
      jest.spyOn(Logger.prototype, level).mockImplementation();
    audited = await AuditedTrial.open(brokers);
    trial = audited.kafka;
  });
  afterEach(async () => {
    await trial.close();
    jest.restoreAllMocks();
  });

  it('brings every event, and messages of others are passed over', async () => {
    await audited.consuming();
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
    await audited.received(50);
    await audited.expectEveryEvent();
  });

  it('brings every event after a message whose compression cannot be read', async () => {
    const subscription = await audited.consuming();
    const { partition } = trial.contexts[0].tenant;
    await sendInSnappy({ value: 'hello', partition });
    const hasMetIt = async () => (await trial.problems()).some((each) => each.includes('Snappy'));
    await waitFor(hasMetIt, { description: 'the message to be met by the consumer' });
    await trial.owning(subscription);
    await waitFor(async () => (await trial.problems()).length === 0, { description: 'the problem to end' });
    const before = await takenFromKafka('audit');
    let expected = trial.contexts.length;
    const isTaken = async () => {
      await trial.write(0, 30);
      await audited.received((expected += 30));
      return (await takenFromKafka('audit')) > before;
    };
    await waitFor(isTaken, { description: 'events to be taken from Kafka' });
    await trial.owning(subscription);
    expect(await trial.problems()).toEqual([]);
    await audited.expectEveryEvent();
  });

  it('brings each of two installations that share it all of its own events', async () => {
    const subscription = await audited.consuming();
    const other = await KafkaTrial.open(brokers, [Parent, Person], trial.topic);
    try {
      const { bus, publisher } = other.process();
      await publisher.start();
      const theirs = new Ledger('audit');
      await other.owning(bus.subscribe(theirs.subscriber('other')));
      await trial.owning(subscription);
      const names = [...(await other.write(0, 30)).sort()];
      await trial.write(3, 33);
      await audited.received(33);
      await waitFor(() => theirs.received.length >= 30, {
        description: 'the events of the other installation',
      });
      expect(theirs.names).toEqual(names);
      await audited.expectEveryEvent();
    } finally {
      await other.close();
    }
  });

  it('brings no events that a restored store no longer has, and a warning says what to do', async () => {
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
    await trial.owning(before.bus.subscribe(audited.ledger.subscriber('before')));
    await audited.received(60);
    await trial.messages(60);
    await before.close();
    await audited.toTheBeginning();
    await pool.query('delete from event_store.events where event_id not in (select event_id from kept)');
    await pool.query('delete from event_store.published');
    await pool.query('insert into event_store.published table kept_published');

    audited.ledger = new Ledger('audit');
    const { bus, publisher } = trial.process();
    await publisher.start();
    const warnings = jest.spyOn(Logger.prototype, 'warn').mockImplementation();
    await trial.owning(bus.subscribe(audited.ledger.subscriber('after')));
    const isSaid = () =>
      warnings.mock.calls.some(([line]) =>
        /events of topic .* that the store does not have: .*Delete/.test(line),
      );
    const isTold = () => audited.ledger.received.length > 30;
    await waitFor(() => isSaid() || isTold(), {
      description: 'the warning, or events that the store no longer has',
    });
    await trial.write(60, 90);
    await audited.received(60);
    await audited.expectEveryEvent();
    expect(isSaid()).toBe(true);
  });

  /** Sends a message in a compression that brokers accept and kafkajs cannot read: its length and one plain piece. */
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
});
