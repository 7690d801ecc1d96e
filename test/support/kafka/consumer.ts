import { type Admin, ConfigResourceTypes, type Consumer, Kafka, logLevel } from 'kafkajs';
import { waitFor } from '../wait-for';

/** A message as a reader sees it who knows Kafka and nothing of this service. */
export interface SeenMessage {
  partition: number;
  key: string;
  headers: Record<string, string>;
  value: string;
}

const client = (brokers: string) => new Kafka({ brokers: brokers.split(','), logLevel: logLevel.NOTHING });

/** Works on the brokers as an operator would. */
export async function administer<Result>(
  brokers: string,
  work: (admin: Admin) => Promise<Result>,
): Promise<Result> {
  const admin = client(brokers).admin();
  await admin.connect();
  return work(admin).finally(() => admin.disconnect());
}

/** Resolves when the topic can be read, whether this call or somebody else created it. */
export async function createTopic(brokers: string, topic: string, numPartitions: number): Promise<void> {
  await administer(brokers, async (admin) => {
    // The option waitForLeaders of kafkajs fails when a broker has not yet heard of a topic that its controller
    // created.
    await admin.createTopics({ topics: [{ topic, numPartitions }], waitForLeaders: false });
    const canBeRead = () =>
      admin.fetchTopicOffsets(topic).then(
        (offsets) => offsets.length > 0,
        () => false, // the topic is not known yet, or a partition has no leader
      );
    await waitFor(canBeRead, { description: `topic ${topic}` });
  });
}

/** The number of messages in a topic. */
export async function countMessages(brokers: string, topic: string): Promise<number> {
  const offsets = await administer(brokers, (admin) => admin.fetchTopicOffsets(topic));
  return offsets.reduce((sum, { high, low }) => sum + Number(high) - Number(low), 0);
}

/** Limits the bytes that the brokers take at once for a partition of the topic. */
export async function limitMessages(brokers: string, topic: string, bytes: number): Promise<void> {
  const configEntries = [{ name: 'max.message.bytes', value: String(bytes) }];
  const resources = [{ type: ConfigResourceTypes.TOPIC, name: topic, configEntries }];
  await administer(brokers, (admin) => admin.alterConfigs({ validateOnly: false, resources }));
}

/** Reads a topic from its beginning, in a consumer group of its own. */
export class TopicReader {
  /** In each partition's order. */
  readonly messages: SeenMessage[] = [];
  private readonly consumer: Consumer;

  private constructor(brokers: string, topic: string) {
    this.consumer = client(brokers).consumer({
      groupId: `${topic}.reader`,
      allowAutoTopicCreation: false,
      maxWaitTimeInMs: 100, // closing waits for it
    });
  }

  static async open(brokers: string, topic: string): Promise<TopicReader> {
    const reader = new TopicReader(brokers, topic);
    const { consumer, messages } = reader;
    await consumer.connect();
    await consumer.subscribe({ topics: [topic], fromBeginning: true });
    await consumer.run({
      eachMessage: async ({ partition, message: { key, headers = {}, value } }) => {
        const texts = Object.entries(headers).map(([name, text]) => [name, String(text)]);
        messages.push({
          partition,
          key: String(key),
          headers: Object.fromEntries(texts),
          value: String(value),
        });
      },
    });
    return reader;
  }

  async close(): Promise<void> {
    await this.consumer.disconnect();
  }
}

/**
 * The messages of a topic without repeated ones, which a consumer recognises by `at` and `prev`.
 * @throws when a message does not follow the one before it in its partition
 */
export function withoutRepeats<Message extends Pick<SeenMessage, 'partition' | 'headers'>>(
  messages: Message[],
): Message[] {
  const reached = new Map<number, string>();
  return messages.filter(({ partition, headers: { at, prev } }) => {
    const before = reached.get(partition) ?? '0.0.0';
    if (!isAfter(at, before)) return false;
    if (isAfter(prev, before)) throw new Error(`${at} follows on ${prev}, and ${before} was the last`);
    reached.set(partition, at);
    return true;
  });
}

function isAfter(one: string, other: string): boolean {
  const others = other.split('.').map(BigInt);
  for (const [index, part] of one.split('.').map(BigInt).entries())
    if (part !== others[index]) return part > others[index];
  return false;
}
