import { randomUUID } from 'node:crypto';
import { Logger } from '@nestjs/common';
import { ConfigResourceTypes, ConfigSource } from 'kafkajs';
import { printPosition } from '#event-store/position';
import { openParent } from '#event-store/testing/commands';
import { Parent } from '#event-store/testing/streams';
import { toId } from '#kernel/ids';
import { ConfigError } from '#platform/config';
import { type Broker, describeWithKafka, startBroker } from '../../../test/support/kafka/broker';
import { administer, countMessages, createTopic, withoutRepeats } from '../../../test/support/kafka/consumer';
import { waitFor } from '../../../test/support/wait-for';
import { Door } from '../testing/door';
import type { KafkaProcess } from '../testing/kafka-process';
import { KafkaTrial, PARTITIONS } from '../testing/kafka-trial';

describeWithKafka('the publisher of events', () => {
  let broker: Broker;
  let trial: KafkaTrial;
  let door: Door;

  beforeAll(async () => {
    broker = await startBroker();
  });
  afterAll(() => broker?.stop());
  beforeEach(async () => {
    for (const level of ['error', 'warn', 'log', 'debug'] as const)
      jest.spyOn(Logger.prototype, level).mockImplementation();
    trial = await KafkaTrial.open(broker.brokers, [Parent]);
    door = new Door();
  });
  afterEach(async () => {
    door.open();
    await trial.close();
    jest.restoreAllMocks();
  });

  /** A setting of the topic, and whether it is only the default of the brokers. */
  async function topicSetting(name: string): Promise<{ value: string; isDefault: boolean }> {
    const resources = [{ type: ConfigResourceTypes.TOPIC, name: trial.topic, configNames: [name] }];
    const described = await administer(broker.brokers, (admin) =>
      admin.describeConfigs({ resources, includeSynonyms: false }),
    );
    const { configValue: value, configSource } = described.resources[0].configEntries[0];
    return { value, isDefault: configSource !== ConfigSource.TOPIC_CONFIG };
  }

  async function refill(count: number): Promise<KafkaProcess> {
    await trial.write(0, count);
    const one = trial.process();
    await one.publisher.start();
    await trial.messages(count);
    return one;
  }

  it('refuses a topic with another number of partitions, and publishes nothing', async () => {
    await createTopic(broker.brokers, trial.topic, 5);
    await trial.write(0, 5);
    const { publisher } = trial.process();
    const refusal: Error = await publisher.start().catch((error) => error);
    expect(refusal).toBeInstanceOf(ConfigError);
    expect(refusal.message).toMatch(
      `Topic ${trial.topic} has 5 partitions instead of 12. Delete it, so that it is created again with every event, or choose another KAFKA_TOPIC`,
    );
    expect(await countMessages(broker.brokers, trial.topic)).toBe(0);
    const { rows } = await trial.store.writes.pool.query('select from event_store.published');
    expect(rows).toEqual([]);
  });

  it('says that it has no right to see an existing topic, and not that it made the topic', async () => {
    await createTopic(broker.brokers, trial.topic, PARTITIONS);
    const log = jest.spyOn(Logger.prototype, 'log').mockImplementation();
    const { publisher, transport, health } = trial.process();
    const looking = jest.spyOn(transport, 'partitionsOf').mockResolvedValue(undefined);
    await publisher.start();
    const told = async () =>
      (await health.degraded()).some((each) =>
        /exists but is not visible.*no right to describe it/.test(each),
      );
    await waitFor(told, { description: 'the problem to be reported' });
    expect(log).not.toHaveBeenCalledWith(expect.stringMatching('Created'));
    looking.mockRestore();
    await trial.write(0, 30);
    await trial.expectEveryEvent(await trial.published());
    expect(await health.degraded()).toEqual([]);
  });

  it('makes the topic, and publishes every event once, in its partition, with its chain', async () => {
    await trial.write(0, 60);
    const { publisher, transport } = trial.process();
    await publisher.start();
    expect(await transport.partitionsOf(trial.topic)).toBe(PARTITIONS);
    const settings = {
      'compression.type': 'producer',
      'cleanup.policy': 'delete',
      'retention.ms': '-1',
      'retention.bytes': '-1',
    };
    for (const [name, value] of Object.entries(settings))
      expect([name, await topicSetting(name)]).toEqual([name, { value, isDefault: false }]);
    await trial.write(60, 120);
    const messages = await trial.published();
    await trial.expectEveryEvent(messages);
    expect(messages).toHaveLength(120);
    for (const { key, headers, value } of messages) {
      expect(key).toBe(headers.tenant);
      expect(JSON.parse(value).subject).toBe(toId('client', headers.stream));
    }
  });

  it('goes on where it was when it starts again', async () => {
    const first = await refill(30);
    await first.close();
    await trial.write(30, 60);
    await trial.process().publisher.start();
    await trial.expectEveryEvent(await trial.published());
  });

  it('publishes from one process, and from another when the first has lost its session during a batch', async () => {
    const [first, second] = [trial.process(), trial.process()];
    const { send } = first.transport;
    const sending = jest.spyOn(first.transport, 'send');
    const idle = jest.spyOn(second.transport, 'send');
    await first.publisher.start();
    await trial.write(0, 30);
    await trial.messages(30);
    await second.publisher.start();
    await trial.write(30, 60);
    await trial.messages(60);
    expect(idle).not.toHaveBeenCalled();

    sending.mockImplementationOnce(async (...batch) => {
      await door.pass();
      return send.apply(first.transport, batch);
    });
    await trial.write(60, 90);
    await waitFor(() => door.reached, { description: 'the first to have a batch in hand' });
    await trial.store.writes.pool.query(
      `select pg_terminate_backend(pid) from pg_locks join pg_stat_activity using (pid)
       where locktype = 'advisory' and datname = current_database() and application_name like 'practice publisher%'
       group by pid`,
    );
    await trial.messages(90);
    await trial.write(90, 120);
    await trial.messages(120);
    expect(idle).toHaveBeenCalled();
    // The first publisher's batch arrives late, as a duplicate.
    const before = sending.mock.calls.length;
    const late = (sending.mock.calls.at(-1)![1] as unknown[]).length;
    door.open();
    const messages = await trial.published(120 + late);
    expect(messages).toHaveLength(120 + late);
    await trial.expectEveryEvent(withoutRepeats(messages));
    await trial.write(120, 150);
    await trial.messages(150 + late);
    expect(sending).toHaveBeenCalledTimes(before);
  });

  it('repeats a batch when it fails before it has noted that the batch was published', async () => {
    const one = trial.process();
    jest.spyOn(one.published, 'move').mockRejectedValueOnce(new Error('gone'));
    await one.publisher.start();
    await trial.write(0, 40);
    // All events once, and the first batch twice.
    const messages = await trial.published(41);
    await trial.write(40, 50);
    await waitFor(() => withoutRepeats(messages).length === 50, { description: '50 events' });
    await trial.expectEveryEvent(withoutRepeats(messages));
    expect(messages.length).toBeLessThanOrEqual(90);
  });

  it('publishes events of the greatest size', async () => {
    const name = 'é'.repeat(128 * 1024 - 50);
    const { store, contexts } = trial;
    await Promise.all(Array.from({ length: 30 }, () => openParent(store.store, contexts[0], { name })));
    await trial.process().publisher.start();
    const messages = await trial.published();
    await trial.expectEveryEvent(messages);
    expect(messages.every(({ value }) => JSON.parse(value).data.name === name)).toBe(true);
  });

  it('publishes events that only a newer program knows', async () => {
    const { tenant } = trial.contexts[0];
    const stream = randomUUID();
    await trial.store.writes.pool.query(
      `insert into event_store.events (tenant_id, stream_id, version, epoch, partition, event_id, type,
         schema_version, data, metadata, recorded_at)
       values ($1, $2, 1, 1, $3, gen_random_uuid(), 'MoonLanded', 7, '{"crater": "Tycho"}',
         '{"actor": "somebody", "correlationId": "x", "source": "rest"}', now())`,
      [tenant.id, stream, tenant.partition],
    );
    await trial.process().publisher.start();
    // A transaction elsewhere in the server hides the event from the feed for a while.
    const [{ headers, value }] = await trial.published(1);
    expect(headers).toMatchObject({ type: 'MoonLanded', stream });
    expect(JSON.parse(value)).toMatchObject({ subject: stream, schemaversion: 7, data: { crater: 'Tycho' } });
  });

  it('fills a topic again after it was deleted', async () => {
    await refill(50);
    await trial.deleteTopic();
    await trial.write(50, 51);
    await trial.messages(51);
    await trial.expectEveryEvent(withoutRepeats(await trial.published()));
  });

  it('says that the topic was made again with fewer partitions, and fills a new one once that has gone', async () => {
    const { health } = await refill(20);
    await trial.deleteTopic();
    await createTopic(broker.brokers, trial.topic, 1);
    await trial.write(20, 23);
    const problem = `Topic ${trial.topic} has 1 partitions instead of 12`;
    const told = async () => (await health.degraded()).some((each) => each.includes(problem));
    await waitFor(told, { description: problem });
    await trial.deleteTopic();
    await trial.messages(23);
    await trial.expectEveryEvent(withoutRepeats(await trial.published()));
    await waitFor(async () => (await health.degraded()).length === 0, { description: 'the problem to end' });
  });

  it('begins again when another process has made the topic meanwhile', async () => {
    const { published: checkpoints } = await refill(20);
    const ends = new Map((await trial.stored()).map(({ partition, row }) => [partition, row.at]));
    await waitFor(
      async () => {
        const cursors = await checkpoints.positions(trial.topic, [...ends.keys()]);
        return cursors.every(({ partition, after }) => printPosition(after) === ends.get(partition));
      },
      { description: 'the checkpoint to come to the end of the topic' },
    );
    await checkpoints.forget(trial.topic, [...ends.keys()]);
    await trial.write(20, 21);
    const messages = await trial.published(20 + 1 + 21);
    await trial.expectEveryEvent(withoutRepeats(messages));
  });

  it('waits for a broker that is away, says so, and drops nothing', async () => {
    if (!broker.own) return; // others need a broker that this test did not start
    const { health } = await refill(50);
    expect(await health.degraded()).toEqual([]);
    const writing = trial.write(50, 100);
    await broker.kill();
    await writing;
    await waitFor(async () => (await health.degraded()).length > 0, {
      description: 'a problem to be reported',
    });
    expect(await health.degraded()).toEqual([expect.stringMatching(/^publisher: .+/)]);
    await trial.write(100, 120);
    await broker.restart();
    await trial.expectEveryEvent(withoutRepeats(await trial.published()));
    await waitFor(async () => (await health.degraded()).length === 0, {
      description: 'the problem to end',
    });
  });

  it('does nothing when Kafka does not carry the events', async () => {
    await trial.write(0, 1);
    const one = trial.process({ EVENT_BUS: 'postgres' });
    const asked = jest.spyOn(one.transport, 'partitionsOf');
    await one.publisher.start();
    expect(asked).not.toHaveBeenCalled();
    const { rows } = await trial.store.writes.pool.query(
      `select from pg_stat_activity where datname = current_database() and application_name like 'practice publisher%'`,
    );
    expect(rows).toEqual([]);
  });
});
