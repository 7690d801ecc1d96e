import { setTimeout as delay } from 'node:timers/promises';
import { Logger } from '@nestjs/common';
import {
  type Consumer,
  type EachBatchPayload,
  type IHeaders,
  type Kafka,
  KafkaJSNonRetriableError,
} from 'kafkajs';
import type { Member, Membership } from './transport';

/** The least that a broker allows unless it was told otherwise; so long the partitions of a dead process stay its own. */
const SESSION_MS = 6_000;
const HEARTBEAT_MS = 1_000;
/** A request to join is answered within this and the five seconds that kafkajs adds. */
const REBALANCE_MS = 10_000;
/** A broker answers a fetch as soon as there is something; the connection is deaf to heartbeats meanwhile. */
const FETCH_WAIT_MS = 100;
const COMMIT_MS = 5_000;
/** How often it is asked which partitions the topic has: nobody reads what is in one that is not known yet. */
const METADATA_MS = 10_000;
/**
 * A consumer that gives no sign of life for so long has lost itself, which kafkajs does not always notice. One that only
 * waits to be let in must not be taken for it: the group would wait for it in vain, and keep its successor waiting too.
 */
const SILENCE_MS = 20_000;
/** Messages that it would take long to read only to pass them over. */
const BACKLOG = 2_000;
const RETRY_MS = 500;
const GOODBYE_MS = 3_000;

/** A member of a group that comes back whenever kafkajs gives up, or falls silent. */
export class KafkaJsMembership implements Membership {
  problem?: string;
  private readonly log = new Logger('Kafka');
  private readonly leaving = new AbortController();
  private readonly running: Promise<void>;

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
    const problem = `${this.group}: ${error.message}`;
    if (problem !== this.problem) this.log.warn(`${problem}; joining again`);
    this.problem = problem;
  }

  /** One life of a consumer. @throws why it ended, unless it was to leave */
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
      // All that a fetch has brought is handed over at once.
      partitionsConsumedConcurrently: 1_024,
      eachBatch: async (payload) => {
        // One that was given up may still come to itself, beside its successor.
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
    // A member that is silent while it works would be taken for dead.
    while (!(await within(HEARTBEAT_MS, received))) await heartbeat();
    resolveOffset(batch.lastOffset());
    // Near the end, what has just come in would be left out again and again.
    if (!news && Number(batch.offsetLag()) > BACKLOG)
      consumer.seek({ topic: this.topic, partition, offset: batch.highWatermark });
  }

  /** @throws when it falls silent before the end */
  private async watch(consumer: Consumer, until: AbortSignal): Promise<void> {
    const { FETCH, REQUEST, GROUP_JOIN, REBALANCING } = consumer.events;
    let sign = performance.now();
    const alive = () => {
      sign = performance.now();
    };
    consumer.on(FETCH, alive);
    consumer.on(REQUEST, alive); // answered: one to join, or a heartbeat
    const assign = (partitions: number[]) => {
      if (!until.aborted) this.member.assigned(partitions);
    };
    consumer.on(REBALANCING, () => assign([]));
    consumer.on(GROUP_JOIN, ({ payload }) => {
      // One that was given up while it was joining could not be stopped then, and would hold its share for ever: now it crashes.
      if (until.aborted) throw new KafkaJSNonRetriableError('It was given up');
      alive();
      this.problem = undefined;
      assign(payload.memberAssignment[this.topic] ?? []);
    });
    while (!until.aborted) {
      if (performance.now() - sign > SILENCE_MS) throw new Error('The consumer has fallen silent');
      await delay(HEARTBEAT_MS, undefined, { signal: until }).catch(() => undefined);
    }
  }
}

function texts(headers: IHeaders): Record<string, string | undefined> {
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, value?.toString()]));
}

/** True when the work is over within so many milliseconds. */
async function within(milliseconds: number, work: Promise<void>): Promise<boolean> {
  const timer = new AbortController();
  const time = delay(milliseconds, false, { signal: timer.signal }).catch(() => false);
  return Promise.race([work.then(() => true), time]).finally(() => timer.abort());
}
