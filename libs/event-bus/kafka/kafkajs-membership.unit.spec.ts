import timers = require('node:timers/promises');

import { EventEmitter } from 'node:events';
import { Logger } from '@nestjs/common';
import {
  CompressionCodecs,
  CompressionTypes,
  type Kafka,
  KafkaJSConnectionError,
  KafkaJSNonRetriableError,
} from 'kafkajs';
import { waitFor } from '../../../test/support/wait-for';
import { KafkaJsMembership } from './kafkajs-membership';

const TOPIC = 'events';
const events = {
  FETCH: 'fetch',
  REQUEST: 'request',
  GROUP_JOIN: 'join',
  REBALANCING: 'shared',
  CRASH: 'crash',
};

/** A consumer of kafkajs that does nothing by itself, and emits the events that a test tells it to emit. */
class SilentConsumer {
  readonly events = events;
  isGone = false;
  /** Where it was told to read on, by partition. */
  readonly sought: [number, string][] = [];
  private readonly emitter = new EventEmitter();

  on(name: string, listener: (event: object) => void): void {
    this.emitter.on(name, listener);
  }

  tell(name: keyof typeof events, payload: object = {}): void {
    this.emitter.emit(events[name], { payload });
  }

  join(...partitions: number[]): void {
    this.tell('GROUP_JOIN', { memberAssignment: { [TOPIC]: partitions } });
  }

  seek({ partition, offset }: { partition: number; offset: string }): void {
    this.sought.push([partition, offset]);
  }

  async connect(): Promise<void> {}
  async subscribe(): Promise<void> {}
  async run(): Promise<void> {}
  async disconnect(): Promise<void> {
    this.isGone = true;
  }
}

describe('a member of a consumer group', () => {
  let consumers: SilentConsumer[];
  let assigned: number[];
  let membership: KafkaJsMembership;

  beforeEach(() => {
    // Time passes only when a test lets it pass.
    jest
      .spyOn(timers, 'setTimeout')
      .mockImplementation((_, value) => new Promise((resolve) => setImmediate(() => resolve(value!))));
    let now = 1_000_000;
    jest.spyOn(performance, 'now').mockImplementation(() => now);
    pass = (milliseconds) => {
      now += milliseconds;
    };
    jest.spyOn(Logger.prototype, 'warn').mockImplementation();
    consumers = [];
    const consumer = () => {
      consumers.push(new SilentConsumer());
      return consumers.at(-1);
    };
    const member = {
      assigned: (partitions: number[]) => (assigned = partitions),
      received: async () => true,
    };
    membership = new KafkaJsMembership({ consumer } as unknown as Kafka, 'group', TOPIC, member);
  });
  afterEach(async () => {
    await membership.leave();
    jest.restoreAllMocks();
  });

  let pass: (milliseconds: number) => void;
  /** Enough turns of the event loop for the membership to look at the clock. */
  const turns = async () => {
    for (let count = 0; count < 20; count++) await new Promise(setImmediate);
  };
  const second = () => waitFor(() => consumers[1], { description: 'another consumer' });

  it.each(['FETCH', 'REQUEST'] as const)('keeps a consumer that shows a sign of life: %s', async (sign) => {
    for (let count = 0; count < 10; count++) {
      pass(16_000); // as long as a request to join may take
      await turns();
      consumers[0].tell(sign);
    }
    expect(consumers).toHaveLength(1);
  });

  it('gives up a consumer that shows no sign of life, and takes another', async () => {
    consumers[0].join(1, 2);
    expect(assigned).toEqual([1, 2]);
    pass(21_000);
    await second();
    expect(consumers[0].isGone).toBe(true);
    expect(assigned).toEqual([]);
    consumers[1].join(3);
    expect(assigned).toEqual([3]);
  });

  it('says that it goes on once it has joined again, and at no other time', async () => {
    const log = jest.spyOn(Logger.prototype, 'log').mockImplementation();
    consumers[0].join(1, 2);
    consumers[0].tell('CRASH', { error: new KafkaJSConnectionError('Closed connection') });
    const other = await second();
    expect(log).not.toHaveBeenCalled();
    other.join(1, 2);
    other.join(1);
    expect(log.mock.calls).toEqual([['group goes on']]);
  });

  /** What kafkajs throws when it meets such a message. */
  function refusal(): Error {
    try {
      CompressionCodecs[CompressionTypes.Snappy]();
    } catch (error) {
      return error as Error;
    }
    throw new Error('It can be read');
  }

  it('begins at the end of the topic after a message that it cannot read, or it would meet that again for ever', async () => {
    consumers[0].join(1, 2);
    const cause = refusal();
    consumers[0].tell('CRASH', { error: Object.assign(new KafkaJSNonRetriableError(cause), { cause }) });
    const other = await second();
    expect(membership.problem).toMatch(/Snappy compression not implemented.*are skipped.*compression\.type/);
    other.join(1, 2);
    expect(other.sought).toEqual([
      [1, '-1'],
      [2, '-1'],
    ]);
  });

  it('begins where it was after any other crash', async () => {
    consumers[0].join(1, 2);
    consumers[0].tell('CRASH', { error: new KafkaJSConnectionError('Closed connection') });
    const other = await second();
    other.join(1, 2);
    expect(other.sought).toEqual([]);
  });

  it('makes a consumer crash that was given up and still joins, or it would keep its share for ever', async () => {
    pass(21_000);
    const other = await second();
    other.join(3);
    expect(() => consumers[0].join(1, 2)).toThrow('given up');
    expect(assigned).toEqual([3]);
  });
});
