import { setTimeout as delay } from 'node:timers/promises';
import { Injectable, Logger } from '@nestjs/common';
import {
  type Admin,
  Kafka,
  type LogEntry,
  logLevel,
  Partitioners,
  type Producer,
  type RecordMetadata,
  type SASLOptions,
} from 'kafkajs';
import { Config } from '#platform/config';
import type { EventMessage } from './cloud-event';
import { KafkaJsMembership } from './kafkajs-membership';
import { KafkaTransport, type Member, type Membership } from './transport';

const CONNECT_MS = 3_000;
const REQUEST_MS = 10_000;
/** Longer than kafkajs tries, whose own limits leave out a request that a closing connection has swallowed. */
const PATIENCE_MS = 60_000;
const GOODBYE_MS = 3_000;
const ALL_REPLICAS_IN_SYNC = -1;

type Leaving = { disconnect(): Promise<void> };

/** Kafka by kafkajs, the only client here; nothing else imports it. */
@Injectable()
export class KafkaJsTransport extends KafkaTransport {
  private client?: Kafka;
  private producer?: Promise<Producer>;

  constructor(private readonly config: Config) {
    super();
  }

  partitionsOf(topic: string): Promise<number | undefined> {
    return this.administer(async (admin) => {
      const topics = await admin.listTopics();
      if (!topics.includes(topic)) return undefined;
      const { topics: found } = await admin.fetchTopicMetadata({ topics: [topic] });
      return found[0].partitions.length;
    });
  }

  async createTopic(topic: string, partitions: number, replication: number): Promise<void> {
    // One copy may be away.
    const configEntries = [{ name: 'min.insync.replicas', value: String(Math.max(1, replication - 1)) }];
    await this.administer((admin) =>
      admin.createTopics({
        waitForLeaders: true,
        topics: [{ topic, numPartitions: partitions, replicationFactor: replication, configEntries }],
      }),
    );
  }

  async send(topic: string, messages: EventMessage[]): Promise<void> {
    this.producer ??= this.connectProducer();
    const connecting = this.producer;
    const batch = { acks: ALL_REPLICAS_IN_SYNC, topicMessages: [{ topic, messages }] };
    try {
      const taken = await inTime(connecting.then((producer) => producer.sendBatch(batch)));
      requireTaken(topic, messages, taken);
    } catch (error) {
      // Its sequence numbers may not be those of the broker any more: a new producer begins new ones.
      this.producer = undefined;
      await goodbye(connecting);
      throw error;
    }
  }

  join(group: string, topic: string, member: Member): Membership {
    return new KafkaJsMembership(this.kafka, group, topic, member);
  }

  async close(): Promise<void> {
    if (this.producer) await goodbye(this.producer);
  }

  private get kafka(): Kafka {
    const { kafkaBrokers, KAFKA_TLS } = this.config;
    this.client ??= new Kafka({
      clientId: 'practice-management',
      brokers: kafkaBrokers,
      ssl: KAFKA_TLS === 'true',
      sasl: credentials(this.config),
      connectionTimeout: CONNECT_MS,
      requestTimeout: REQUEST_MS,
      retry: { retries: 3, initialRetryTime: 100, maxRetryTime: 1_000 },
      logLevel: logLevel.INFO,
      logCreator: () => debugLog(),
    });
    return this.client;
  }

  private async connectProducer(): Promise<Producer> {
    const producer = this.kafka.producer({
      createPartitioner: Partitioners.DefaultPartitioner,
      allowAutoTopicCreation: false,
      idempotent: true,
      maxInFlightRequests: 1,
      retry: { retries: 3, initialRetryTime: 100, maxRetryTime: 1_000 },
    });
    try {
      await producer.connect();
    } catch (error) {
      await goodbye(producer); // one of its connections may stand
      throw error;
    }
    return producer;
  }

  private async administer<Result>(work: (admin: Admin) => Promise<Result>): Promise<Result> {
    const admin = this.kafka.admin();
    try {
      return await inTime(admin.connect().then(() => work(admin)));
    } finally {
      await goodbye(admin);
    }
  }
}

function credentials({ KAFKA_SASL, KAFKA_USERNAME, KAFKA_PASSWORD }: Config): SASLOptions | undefined {
  if (!KAFKA_SASL) return undefined;
  return { mechanism: KAFKA_SASL, username: KAFKA_USERNAME!, password: KAFKA_PASSWORD! } as SASLOptions;
}

/**
 * What is for a partition that the topic has not, as when it was made again with fewer, kafkajs leaves out without a word.
 * @throws when there is such a partition
 */
function requireTaken(
  topic: string,
  messages: readonly EventMessage[],
  taken: readonly RecordMetadata[],
): void {
  const partitions = new Set(taken.map(({ partition }) => partition));
  const left = messages.find(({ partition }) => !partitions.has(partition));
  if (left) throw new Error(`Topic ${topic} has no partition ${left.partition}`);
}

/** @throws when the brokers have not done it in time */
async function inTime<Result>(work: Promise<Result>): Promise<Result> {
  const timer = new AbortController();
  const late = delay(PATIENCE_MS, undefined, { signal: timer.signal }).then(() => {
    throw new Error(`Kafka has not answered within ${PATIENCE_MS} ms`);
  });
  return Promise.race([work, late]).finally(() => timer.abort());
}

/** Whether a client that is not needed any more can say so to its brokers is of no consequence. */
async function goodbye(client: Leaving | Promise<Leaving>): Promise<void> {
  const left = Promise.resolve(client)
    .then((one) => one.disconnect())
    .catch(() => undefined);
  await Promise.race([left, delay(GOODBYE_MS, undefined, { ref: false })]);
}

/** What fails for good is thrown, and logged by whoever asked for it; the rest is for debugging. */
function debugLog(): (entry: LogEntry) => void {
  const log = new Logger('Kafka');
  return ({ namespace, log: { message, error } }) =>
    log.debug(`${namespace}: ${message}${error ? ` (${error})` : ''}`);
}
