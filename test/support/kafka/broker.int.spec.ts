import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { Kafka, logLevel, Partitioners } from 'kafkajs';
import { waitFor } from '../wait-for';
import { type Broker, describeWithKafka, startBroker, uniqueTopic } from './broker';
import { createTopic } from './consumer';

const client = (brokers: string, retries = 5) =>
  new Kafka({ brokers: [brokers], logLevel: logLevel.NOTHING, retry: { retries } });

async function newTopic(brokers: string): Promise<string> {
  const topic = uniqueTopic();
  await createTopic(brokers, topic, 2);
  return topic;
}

async function produce(brokers: string, topic: string, value: string): Promise<void> {
  const producer = client(brokers).producer({
    idempotent: true,
    maxInFlightRequests: 1,
    createPartitioner: Partitioners.DefaultPartitioner,
  });
  await producer.connect();
  await producer.send({ topic, acks: -1, messages: [{ key: 'key', value, partition: 1 }] });
  await producer.disconnect();
}

/** The first messages of a topic, read by a new consumer group. */
async function consume(brokers: string, topic: string, count: number): Promise<string[]> {
  const consumer = client(brokers).consumer({ groupId: uniqueTopic(), maxWaitTimeInMs: 10 });
  const values: string[] = [];
  await consumer.connect();
  await consumer.subscribe({ topic, fromBeginning: true });
  await consumer.run({ eachMessage: async ({ message }) => void values.push(String(message.value)) });
  await waitFor(() => values.length >= count, { description: `${count} messages` });
  await consumer.disconnect();
  return values;
}

function isListening(brokers: string): Promise<boolean> {
  const socket = connect(Number(brokers.split(':')[1]), '127.0.0.1');
  return new Promise<boolean>((resolve) => {
    socket.once('connect', () => resolve(true)).once('error', () => resolve(false));
  }).finally(() => socket.destroy());
}

const foldersOf = (pid: number) =>
  readdirSync(tmpdir()).filter((name) => name.startsWith(`practice-kafka-${pid}-`));

// with KAFKA_BROKERS there may be no other broker
const describeOwn = process.env.KAFKA_BROKERS ? describe.skip : describeWithKafka;

describeOwn('a broker for tests', () => {
  let broker: Broker;
  beforeAll(async () => {
    broker = await startBroker();
  });
  afterAll(() => broker?.stop());

  it('keeps its port and its messages when it is killed', async () => {
    const topic = await newTopic(broker.brokers);
    await produce(broker.brokers, topic, 'before');
    await broker.kill();
    expect(await isListening(broker.brokers)).toBe(false);
    await broker.restart();
    await produce(broker.brokers, topic, 'after');
    expect(await consume(broker.brokers, topic, 2)).toEqual(['before', 'after']);
  });

  it('creates no topic by itself', async () => {
    const producer = client(broker.brokers, 0).producer({
      createPartitioner: Partitioners.DefaultPartitioner,
    });
    await producer.connect();
    const lost = producer.send({ topic: uniqueTopic(), messages: [{ value: 'lost' }] });
    await expect(lost).rejects.toThrow('does not host this topic');
    await producer.disconnect();
  });

  it('is used unchanged when KAFKA_BROKERS names it', async () => {
    process.env.KAFKA_BROKERS = broker.brokers;
    try {
      const given = await startBroker();
      expect(given).toMatchObject({ brokers: broker.brokers, own: false });
      await expect(given.kill()).rejects.toThrow('not ours');
      await given.stop();
      expect(await isListening(broker.brokers)).toBe(true);
    } finally {
      delete process.env.KAFKA_BROKERS;
    }
  });

  it('leaves nothing behind when it is stopped', async () => {
    await broker.stop();
    expect(await isListening(broker.brokers)).toBe(false);
    expect(foldersOf(process.pid)).toEqual([]);
  });

  it('ends when the test process is killed', async () => {
    const parent = spawn(process.execPath, [
      '--conditions=source',
      '--require',
      require.resolve('../register-typescript.cjs'),
      '--eval',
      `require(${JSON.stringify(require.resolve('./broker'))})
        .startBroker()
        .then(({ brokers }) => console.log(brokers))`,
    ]);
    const [line] = await once(parent.stdout, 'data');
    const brokers = String(line).trim();
    expect(await isListening(brokers)).toBe(true);
    parent.kill('SIGKILL');
    await waitFor(async () => !(await isListening(brokers)) && foldersOf(parent.pid!).length === 0, {
      description: 'the end of the broker',
    });
  });
});
