import { Logger } from '@nestjs/common';
import { Parent } from '#event-store/testing/streams';
import { type Broker, describeWithKafka, startBroker } from '../../../test/support/kafka/broker';
import { administer, countMessages, createTopic, withoutRepeats } from '../../../test/support/kafka/consumer';
import { waitFor } from '../../../test/support/wait-for';
import type { KafkaProcess } from '../testing/kafka-process';
import { KafkaTrial, PARTITIONS } from '../testing/kafka-trial';

describeWithKafka('the publisher, when it finds its topic changed, or cannot see it', () => {
  let broker: Broker;
  let trial: KafkaTrial;
  let log: jest.SpyInstance;

  beforeAll(async () => {
    broker = await startBroker();
  });
  afterAll(() => broker?.stop());
  beforeEach(async () => {
    for (const level of ['error', 'warn', 'debug'] as const)
      jest.spyOn(Logger.prototype, level).mockImplementation();
    log = jest.spyOn(Logger.prototype, 'log').mockImplementation();
    trial = await KafkaTrial.open(broker.brokers, [Parent]);
  });
  afterEach(async () => {
    await trial.close();
    jest.restoreAllMocks();
  });

  const HISTORY = /publishing their history from its beginning/;

  /** Publishes events, and ends. */
  async function publish(count: number): Promise<void> {
    await trial.write(0, count);
    const one = trial.process();
    await one.publisher.start();
    await trial.messages(count);
    await waitFor(async () => (await lag(one)) === 0, { description: 'the checkpoints to follow' });
    await one.close();
  }

  /** How many partitions have events that were not published, by the checkpoints. */
  async function lag({ published }: KafkaProcess): Promise<number> {
    const { feed } = trial.store;
    const cursors = await published.positions(trial.topic, await feed.partitions());
    return (await feed.oldest(cursors)).filter((oldest) => oldest !== undefined).length;
  }

  it('does not publish the history again into a topic that it could not see for a moment', async () => {
    await publish(30);
    const { publisher, transport, health } = trial.process();
    const looking = jest.spyOn(transport, 'partitionsOf').mockResolvedValue(undefined);
    await publisher.start();
    await waitFor(async () => (await health.degraded()).length > 0, { description: 'the problem' });
    looking.mockRestore();
    await trial.write(30, 31);
    await trial.messages(31);
    expect(await trial.published()).toHaveLength(31);
    expect(log).not.toHaveBeenCalledWith(expect.stringMatching(HISTORY));
  });

  it('says why the topic cannot be created', async () => {
    const { publisher, health } = trial.process({ KAFKA_REPLICATION: 3 });
    await publisher.start();
    const told = async () => (await health.degraded()).join();
    await waitFor(async () => (await told()) !== '', { description: 'the problem' });
    expect(await told()).toMatch(/^publisher: Topic .* cannot be created: .*replication-factor/i);
  });

  it('publishes the history into a topic that was deleted and created again while nothing ran, and says so', async () => {
    await publish(30);
    await trial.deleteTopic();
    await createTopic(broker.brokers, trial.topic, PARTITIONS);
    await trial.process().publisher.start();
    await trial.messages(30);
    await trial.expectEveryEvent(withoutRepeats(await trial.published()));
    expect(log).toHaveBeenCalledWith(expect.stringMatching(HISTORY));
  });

  it('begins again when the topic was deleted and created again while it ran', async () => {
    await trial.write(0, 30);
    const one = trial.process();
    await one.publisher.start();
    await trial.messages(30);
    await waitFor(async () => (await lag(one)) === 0, { description: 'the checkpoints to follow' });
    await trial.deleteTopic();
    await createTopic(broker.brokers, trial.topic, PARTITIONS);
    await trial.write(30, 31);
    const { messages } = await trial.reader();
    // The first message of the new topic follows on one that is not there, until the history comes.
    const events = () => new Set(messages.map(({ value }) => JSON.parse(value).id)).size;
    await waitFor(() => events() === 31, { description: '31 events' });
    expect(log).toHaveBeenCalledWith(expect.stringMatching(HISTORY));
  });

  it('does not publish again what the brokers have deleted after its time', async () => {
    await publish(30);
    await administer(broker.brokers, async (admin) => {
      const ends = await admin.fetchTopicOffsets(trial.topic);
      const partitions = ends.map(({ partition, high: offset }) => ({ partition, offset }));
      await admin.deleteTopicRecords({ topic: trial.topic, partitions });
    });
    await trial.process().publisher.start();
    await trial.write(30, 31);
    await trial.messages(1);
    expect(await countMessages(broker.brokers, trial.topic)).toBe(1);
    expect(log).not.toHaveBeenCalledWith(expect.stringMatching(HISTORY));
  });

  it('publishes from another process when the first has the partitions and cannot reach Kafka', async () => {
    const [failing, healthy] = [trial.process(), trial.process()];
    jest.spyOn(failing.transport, 'partitionsOf').mockRejectedValue(new Error('SASL PLAIN failed'));
    await failing.publisher.start();
    await waitFor(async () => (await failing.health.degraded()).length > 0, { description: 'the problem' });
    await healthy.publisher.start();
    await trial.write(0, 30);
    await trial.messages(30);
    await trial.expectEveryEvent(await trial.published());
  });
});
