import { setTimeout as delay } from 'node:timers/promises';
import { Logger } from '@nestjs/common';
import {
  type Consumer,
  type EachBatchPayload,
  type IHeaders,
  type Kafka,
  KafkaJSNonRetriableError,
  KafkaJSNotImplemented,
} from 'kafkajs';
import type { Member, Membership } from './transport';

/** The minimum that brokers allow by default. A dead process keeps its partitions for this long. */
const SESSION_MS = 6_000;
const HEARTBEAT_MS = 1_000;
/** A join request is answered within this time plus the five seconds that kafkajs adds. */
const REBALANCE_MS = 10_000;
/** A broker answers a fetch as soon as it has messages. Until then the connection cannot send heartbeats. */
const FETCH_WAIT_MS = 100;
const COMMIT_MS = 5_000;
/** How often the topic's partitions are looked up: nobody reads a partition that is not known yet. */
const METADATA_MS = 10_000;
/**
 * A consumer without a sign of life for this long has died, which kafkajs does not always notice. A consumer that only waits
 * to be admitted must not be given up: the group would wait for it in vain, and its successor would wait as well.
 */
const SILENCE_MS = 20_000;
/** From this many known messages on, skipping to the end of the topic is faster than reading them. */
const BACKLOG = 2_000;
/** The offset by which brokers understand the end of a partition. */
const END_OF_TOPIC = '-1';
const RETRY_MS = 500;
const GOODBYE_MS = 3_000;

/** A member of a consumer group that joins again whenever kafkajs gives up or falls silent. */
export class KafkaJsMembership implements Membership {
  problem?: string;
  private readonly log = new Logger('Kafka');
  private readonly leaving = new AbortController();
  private readonly running: Promise<void>;
  /** The last consumer crashed at a message that kafkajs cannot read, and the next one would do so, too. */
  private isBeforeUnreadable = false;

  constructor(
    private readonly kafka: Kafka,
    private readonly group: string,
    private readonly topic: string,
    private readonly member: Member,
  ) {
    this.running = this.run();
  }

  async leave(): Promise<void> {
    this.leaving.abort();
    await this.running;
  }

  private async run(): Promise<void> {
    const { signal } = this.leaving;
    while (!signal.aborted) {
      await this.attend().catch((error: Error) => this.report(error));
      await delay(RETRY_MS, undefined, { signal }).catch(() => undefined);
    }
  }

  private report(error: Error): void {
    this.isBeforeUnreadable = isUnreadable(error);
    const advice = this.isBeforeUnreadable
      ? `. Messages of topic ${this.topic} in this compression are skipped, and their events are read from the store. Set the topic's compression.type to producer, and let only this service write to it`
      : '';
    const problem = `${this.group}: ${error.message}${advice}`;
    if (problem !== this.problem) this.log.warn(`${problem}; joining again`);
    this.problem = problem;
  }

  /** Runs one consumer until it ends. @throws the reason, unless the membership was left */
  private async attend(): Promise<void> {
    const consumer = this.kafka.consumer({
      groupId: this.group,
      sessionTimeout: SESSION_MS,
      rebalanceTimeout: REBALANCE_MS,
      heartbeatInterval: HEARTBEAT_MS,
      maxWaitTimeInMs: FETCH_WAIT_MS,
      metadataMaxAge: METADATA_MS,
      allowAutoTopicCreation: false,
      retry: { retries: 3, initialRetryTime: 100, maxRetryTime: 1_000, restartOnFailure: async () => false },
    });
    const over = new AbortController();
    const crashed = new Promise<never>((_, reject) =>
      consumer.on(consumer.events.CRASH, ({ payload }) => reject(payload.error)),
    );
    const until = AbortSignal.any([this.leaving.signal, over.signal]);
    const watched = this.watch(consumer, until);
    try {
      await Promise.race([crashed, watched, this.consume(consumer, until)]);
      await Promise.race([crashed, watched]);
    } finally {
      over.abort();
      this.member.assigned([]);
      await Promise.race([consumer.disconnect(), delay(GOODBYE_MS, undefined, { ref: false })]);
    }
  }

  private async consume(consumer: Consumer, until: AbortSignal): Promise<void> {
    await consumer.connect();
    await consumer.subscribe({ topics: [this.topic], fromBeginning: false });
    await consumer.run({
      eachBatchAutoResolve: false,
      autoCommitInterval: COMMIT_MS,
      // All partitions of a fetch are handed over at once.
      partitionsConsumedConcurrently: 1_024,
      eachBatch: async (payload) => {
        // A consumer that was given up may revive beside its successor.
        if (!until.aborted) await this.receive(consumer, payload);
      },
    });
  }

  private async receive(consumer: Consumer, payload: EachBatchPayload): Promise<void> {
    const { batch, heartbeat, resolveOffset } = payload;
    const { partition } = batch;
    const messages = batch.messages.map(({ headers = {}, value }) => ({
      headers: texts(headers),
      value: value?.toString() ?? '',
    }));
    let news = true;
    const received = this.member.received({ partition, messages }).then((answer) => {
      news = answer;
    });
    // Without heartbeats during the work the group would expel the member.
    while (!(await within(HEARTBEAT_MS, received))) await heartbeat();
    resolveOffset(batch.lastOffset());
    // Only far from the end: near it, new messages would be skipped again and again.
    if (!news && Number(batch.offsetLag()) > BACKLOG)
      consumer.seek({ topic: this.topic, partition, offset: batch.highWatermark });
  }

  /**
   * Skips to the end of all assigned partitions. kafkajs does not say which partition has the unreadable message; the store has
   * the events in between.
   */
  private goToTheEnd(consumer: Consumer, partitions: number[]): void {
    for (const partition of partitions) consumer.seek({ topic: this.topic, partition, offset: END_OF_TOPIC });
    this.isBeforeUnreadable = false;
  }

  /** Watches for signs of life. @throws Error when the consumer falls silent before `until` */
  private async watch(consumer: Consumer, until: AbortSignal): Promise<void> {
    const { FETCH, REQUEST, GROUP_JOIN, REBALANCING } = consumer.events;
    let sign = performance.now();
    const alive = () => {
      sign = performance.now();
    };
    consumer.on(FETCH, alive);
    consumer.on(REQUEST, alive); // an answered request: a join or a heartbeat
    const assign = (partitions: number[]) => {
      if (!until.aborted) this.member.assigned(partitions);
    };
    consumer.on(REBALANCING, () => assign([]));
    consumer.on(GROUP_JOIN, ({ payload }) => {
      // A consumer that was given up while it joined could not be stopped then, and would keep its partitions for ever.
      if (until.aborted) throw new KafkaJSNonRetriableError('It was given up');
      alive();
      if (this.problem) this.log.log(`${this.group} goes on`);
      this.problem = undefined;
      const partitions = payload.memberAssignment[this.topic] ?? [];
      if (this.isBeforeUnreadable) this.goToTheEnd(consumer, partitions);
      assign(partitions);
    });
    while (!until.aborted) {
      if (performance.now() - sign > SILENCE_MS) throw new Error('The consumer has fallen silent');
      await delay(HEARTBEAT_MS, undefined, { signal: until }).catch(() => undefined);
    }
  }
}

/** Whether an error is about a compression that kafkajs does not support: it supports only gzip. */
function isUnreadable(error: Error): boolean {
  return error instanceof KafkaJSNotImplemented || error.cause instanceof KafkaJSNotImplemented;
}

function texts(headers: IHeaders): Record<string, string | undefined> {
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, value?.toString()]));
}

/** Whether the work ends within the given milliseconds. */
async function within(milliseconds: number, work: Promise<void>): Promise<boolean> {
  const timer = new AbortController();
  const time = delay(milliseconds, false, { signal: timer.signal }).catch(() => false);
  return Promise.race([work.then(() => true), time]).finally(() => timer.abort());
}
