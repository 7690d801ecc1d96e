import { Logger } from '@nestjs/common';
import { Parent } from '#event-store/testing/streams';
import { type Broker, describeWithKafka, startBroker } from '../../../test/support/kafka/broker';
import { waitFor } from '../../../test/support/wait-for';
import { KafkaTrial } from '../testing/kafka-trial';

describeWithKafka('the publisher, when it finds its topic changed', () => {
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

  it('says why the topic cannot be created', async () => {
    const { publisher, health } = trial.process({ KAFKA_REPLICATION: 3 });
    await publisher.start();
    const told = async () => (await health.degraded()).join();
    await waitFor(async () => (await told()) !== '', { description: 'the problem' });
    expect(await told()).toMatch(/^publisher: Topic .* cannot be created: .*replication-factor/i);
  });
});
