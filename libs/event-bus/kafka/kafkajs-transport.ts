import { setTimeout as delay } from 'node:timers/promises';
import { Injectable, Logger } from '@nestjs/common';
import {
  type Admin,
  Kafka,
  KafkaJSAggregateError,
  KafkaJSError,
  KafkaJSProtocolError,
  KafkaJSTimeout,
  type LogEntry,
  logLevel,
  Partitioners,
  type Producer,
  type RecordMetadata,
  type SASLOptions,
} from 'kafkajs';
import { Config } from '#platform/config';
import { CarrierAway } from '../outage';
import type { EventMessage } from './cloud-event';
import { KafkaJsMembership } from './kafkajs-membership';
import { KafkaTransport, type Member, type Membership, TooLarge } from './transport';

const CONNECT_MS = 3_000;
const REQUEST_MS = 10_000;
/** Longer than all retries of kafkajs. Its own timeouts miss a request that was lost with a closing connection. */
const PATIENCE_MS = 60_000;
const GOODBYE_MS = 3_000;
const ALL_REPLICAS_IN_SYNC = -1;

type Leaving = { disconnect(): Promise<void> };

/** Kafka by way of kafkajs. Only this folder imports the package. */
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

  unwritten(topic: string): Promise<number[]> {
    return this.administer(async (admin) => {
      const ends = await admin.fetchTopicOffsets(topic);
      return ends.filter(({ high }) => high === '0').map(({ partition }) => partition);
    });
  }

  createTopic(topic: string, partitions: number, replication: number): Promise<boolean> {
    const configEntries = [
      // Writes succeed while one replica is away.
      { name: 'min.insync.replicas', value: String(Math.max(1, replication - 1)) },
      // Otherwise brokers may compress messages themselves, in a way that kafkajs cannot read unless it is gzip.
      { name: 'compression.type', value: 'producer' },
      // The topic keeps every event. Brokers by default delete messages after a week.
      { name: 'cleanup.policy', value: 'delete' },
      { name: 'retention.ms', value: '-1' },
      { name: 'retention.bytes', value: '-1' },
    ];
    return this.administer((admin) =>
      admin
        .createTopics({
          waitForLeaders: true,
          topics: [{ topic, numPartitions: partitions, replicationFactor: replication, configEntries }],
        })
        .catch((error: Error) => {
          throw withCause(topic, error);
        }),
    );
  }

  async send(topic: string, messages: EventMessage[]): Promise<number[]> {
    this.producer ??= this.connectProducer();
    const connecting = this.producer;
    const batch = { acks: ALL_REPLICAS_IN_SYNC, topicMessages: [{ topic, messages }] };
    try {
      const taken = await inTime(connecting.then((producer) => producer.sendBatch(batch)));
      requireTaken(topic, messages, taken);
      return taken.filter(({ baseOffset }) => baseOffset === '0').map(({ partition }) => partition);
    } catch (error) {
      // The producer's sequence numbers may no longer match the broker's; a new producer starts over.
      this.producer = undefined;
      await goodbye(connecting);
      throw passedOn(error as Error);
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
      await goodbye(producer); // one of its connections may be open
      throw error;
    }
    return producer;
  }

  private async administer<Result>(work: (admin: Admin) => Promise<Result>): Promise<Result> {
    const admin = this.kafka.admin();
    try {
      return await inTime(admin.connect().then(() => work(admin)));
    } catch (error) {
      throw passedOn(error as Error);
    } finally {
      await goodbye(admin);
    }
  }
}

function credentials({ KAFKA_SASL, KAFKA_USERNAME, KAFKA_PASSWORD }: Config): SASLOptions | undefined {
  if (!KAFKA_SASL) return undefined;
  return { mechanism: KAFKA_SASL, username: KAFKA_USERNAME!, password: KAFKA_PASSWORD! } as SASLOptions;
}

/** The error as callers know it: they have no use for the many kinds of kafkajs. */
function passedOn(error: Error): Error {
  if (isTooLarge(error)) return new TooLarge(error.message, { cause: error });
  return isAway(error) ? new CarrierAway(error.message, { cause: error }) : error;
}

/** Whether brokers are away, or not ready. kafkajs marks such an error as retriable, and wraps it after the last try. */
function isAway(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  if (error instanceof KafkaJSTimeout) return true;
  return (error instanceof KafkaJSError && error.retriable) || isAway(error.cause);
}

/** Whether a limit of the topic refused the messages: `max.message.bytes` or `segment.bytes`. kafkajs may wrap the answer. */
function isTooLarge(error: Error): boolean {
  const answers = [error, error.cause].filter((one) => one instanceof KafkaJSProtocolError);
  return answers.some(({ type }) => type === 'MESSAGE_TOO_LARGE' || type === 'RECORD_LIST_TOO_LARGE');
}

/** kafkajs says only "Topic creation errors", and keeps the brokers' answers in a list. */
function withCause(topic: string, error: Error): Error {
  if (!(error instanceof KafkaJSAggregateError)) return error;
  const causes = error.errors.map((cause) => (cause instanceof Error ? cause.message : cause));
  return new Error(`Topic ${topic} cannot be created: ${causes.join('; ')}`, { cause: error });
}

/**
 * Checks that the topic has every partition of the messages. Where a partition is missing (the topic was created again with
 * fewer), kafkajs drops its messages without an error.
 * @throws Error when a partition is missing
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

/** @throws CarrierAway when the brokers have not answered within PATIENCE_MS */
async function inTime<Result>(work: Promise<Result>): Promise<Result> {
  const timer = new AbortController();
  const late = delay(PATIENCE_MS, undefined, { signal: timer.signal }).then(() => {
    throw new CarrierAway(`Kafka has not answered within ${PATIENCE_MS} ms`);
  });
  return Promise.race([work, late]).finally(() => timer.abort());
}

/** Disconnects a client that is no longer needed; a failure is of no consequence. */
async function goodbye(client: Leaving | Promise<Leaving>): Promise<void> {
  const left = Promise.resolve(client)
    .then((one) => one.disconnect())
    .catch(() => undefined);
  await Promise.race([left, delay(GOODBYE_MS, undefined, { ref: false })]);
}

/** Logs kafkajs's messages at level debug: final failures are thrown, and logged by the caller. */
function debugLog(): (entry: LogEntry) => void {
  const log = new Logger('Kafka');
  return ({ namespace, log: { message, error } }) =>
    log.debug(`${namespace}: ${message}${error ? ` (${error})` : ''}`);
}
