import { Logger } from '@nestjs/common';
import { openParent } from '#event-store/testing/commands';
import { Parent } from '#event-store/testing/streams';
import type { RequestContext } from '#platform/request-context';
import { type Broker, describeWithKafka, startBroker } from '../../../test/support/kafka/broker';
import {
  countMessages,
  createTopic,
  limitMessages,
  withoutRepeats,
} from '../../../test/support/kafka/consumer';
import { contextFor } from '../../../test/support/store';
import { waitFor } from '../../../test/support/wait-for';
import { KafkaTrial, PARTITIONS } from '../testing/kafka-trial';

describeWithKafka('the publisher, while the brokers refuse events of a partition', () => {
  let broker: Broker;
  let trial: KafkaTrial;

  beforeAll(async () => {
    broker = await startBroker();
  });
  afterAll(() => broker?.stop());
  beforeEach(async () => {
    for (const level of ['error', 'warn', 'log', 'debug'] as const)
      jest.spyOn(Logger.prototype, level).mockImplementation();
    trial = await KafkaTrial.open(broker.brokers, [Parent]);
  });
  afterEach(async () => {
    await trial.close();
    jest.restoreAllMocks();
  });

  /** Contexts of two tenants whose events are in these partitions. */
  const inPartitions = (...partitions: number[]) =>
    partitions.map((partition, index) => contextFor({ ...trial.contexts[index].tenant, partition }));
  const open = (context: RequestContext, name: string) => openParent(trial.store.store, context, { name });

  it('publishes the events of other partitions, and each of them once', async () => {
    const [refused, other] = inPartitions(4, 7);
    const one = trial.process();
    await one.publisher.start();
    await limitMessages(broker.brokers, trial.topic, 20_000);
    const sending = jest.spyOn(one.transport, 'send');
    const attempts = async (count: number) => {
      const wanted = sending.mock.calls.length + count;
      const tried = () => sending.mock.calls.length >= wanted;
      await waitFor(tried, { description: `${count} attempts` });
    };
    await Promise.all([open(refused, 'x'.repeat(40_000)), open(refused, 'after'), open(other, 'first')]);
    await attempts(4); // which partition is refused shows when each is tried alone
    const first = await countMessages(broker.brokers, trial.topic);
    await open(other, 'second');
    await trial.messages(first + 1);
    await attempts(4);
    expect(await countMessages(broker.brokers, trial.topic)).toBe(first + 1);
    expect(await one.health.degraded()).toEqual([expect.stringMatching(/^publisher: .*larger than/)]);

    await limitMessages(broker.brokers, trial.topic, 1_000_000);
    await trial.messages(first + 3);
    const messages = await trial.published(first + 3);
    await trial.expectEveryEvent(withoutRepeats(messages));
    await waitFor(async () => (await one.health.degraded()).length === 0, {
      description: 'the problem to end',
    });
  });

  it('publishes the events of other partitions even when more events are refused than it takes at once', async () => {
    const [refused, other] = inPartitions(4, 7);
    const one = trial.process({ PROJECTION_BATCH: 3 });
    await one.publisher.start();
    await limitMessages(broker.brokers, trial.topic, 20_000);
    for (const name of ['x'.repeat(40_000), 'second', 'third', 'fourth']) await open(refused, name);
    await open(other, 'first');
    await trial.messages(1);

    await limitMessages(broker.brokers, trial.topic, 1_000_000);
    await trial.expectEveryEvent(withoutRepeats(await trial.published()));
  });

  it('publishes a backlog of small events although the brokers refuse its size, up to an event that is itself refused', async () => {
    const [refused, other] = inPartitions(4, 7);
    await createTopic(broker.brokers, trial.topic, PARTITIONS);
    await limitMessages(broker.brokers, trial.topic, 20_000);
    const small = 'x'.repeat(2_000);
    for (let count = 0; count < 30; count++) {
      await open(refused, small);
      await open(other, small);
    }
    await open(refused, 'x'.repeat(40_000));
    await open(refused, 'after');
    const { publisher, transport, health } = trial.process();
    const sending = jest.spyOn(transport, 'send');
    await publisher.start();
    const { messages } = await trial.reader();
    const arrived = (count: number) =>
      waitFor(() => withoutRepeats(messages).length === count, { description: `${count} events` });
    await arrived(60);
    const told = async () => (await health.degraded()).some((each) => /^publisher: .*larger than/.test(each));
    await waitFor(told, { description: 'the problem' });
    // Batches stay as large as the topic takes: an event that is refused for good does not shrink those of the others.
    const lone = () => sending.mock.lastCall![1].length === 1;
    await waitFor(lone, { description: 'the refused event to be tried alone' });
    const before = sending.mock.calls.length;
    await Promise.all(Array.from({ length: 12 }, () => open(other, 'x'.repeat(500))));
    await arrived(72);
    const toOther = sending.mock.calls.slice(before).map(([, batch]) => batch.length);
    expect(Math.max(...toOther)).toBeGreaterThan(1);

    await limitMessages(broker.brokers, trial.topic, 1_000_000);
    await arrived(74);
    await trial.expectEveryEvent(withoutRepeats(messages));
  });
});
