import kafkajs = require('kafkajs');
import timers = require('node:timers/promises');

import type { Config } from '#platform/config';
import { CarrierAway } from '../outage';
import type { EventMessage } from './cloud-event';
import { KafkaJsTransport } from './kafkajs-transport';

const never = () => new Promise<never>(() => undefined);
const client = {
  connect: jest.fn(async () => undefined),
  disconnect: jest.fn(async () => undefined),
  sendBatch: jest.fn(async (): Promise<object[]> => []),
  listTopics: jest.fn(async (): Promise<string[]> => []),
};
const config = { kafkaBrokers: ['127.0.0.1:1'], KAFKA_TLS: 'false' } as Config;
const messages: EventMessage[] = [{ partition: 0, key: '1', headers: {}, value: '{}' }];

describe('Kafka by kafkajs', () => {
  let transport: KafkaJsTransport;

  let made: jest.Mock;

  beforeEach(() => {
    // Every timeout ends after one turn of the event loop, so that an operation that hangs has had its time.
    jest
      .spyOn(timers, 'setTimeout')
      .mockImplementation((_, value) => new Promise((resolve) => setImmediate(() => resolve(value!))));
    for (const method of ['connect', 'disconnect'] as const)
      client[method].mockReset().mockResolvedValue(undefined);
    client.sendBatch.mockReset().mockResolvedValue([{ topicName: 'events', partition: 0, errorCode: 0 }]);
    client.listTopics.mockReset().mockResolvedValue([]);
    made = jest.fn(() => client);
    jest.spyOn(kafkajs, 'Kafka').mockImplementation(() => ({ admin: made, producer: made }) as never);
    transport = new KafkaJsTransport(config);
  });
  afterEach(() => jest.restoreAllMocks());

  it('gives up a producer that hangs, and sends with another', async () => {
    client.sendBatch.mockImplementationOnce(never);
    client.disconnect.mockImplementationOnce(never);
    await expect(transport.send('events', messages)).rejects.toThrow('has not answered');
    await transport.send('events', messages);
    await transport.send('events', messages);
    expect(made).toHaveBeenCalledTimes(2);
  });

  it('gives up a producer that hangs while it connects', async () => {
    client.connect.mockImplementationOnce(never);
    await expect(transport.send('events', messages)).rejects.toThrow('has not answered');
    await transport.send('events', messages);
    expect(made).toHaveBeenCalledTimes(2);
  });

  it('does not count messages for a missing partition as sent, and then sends with another producer', async () => {
    client.sendBatch.mockResolvedValueOnce([]);
    await expect(transport.send('events', messages)).rejects.toThrow('Topic events has no partition 0');
    await transport.send('events', messages);
    expect(made).toHaveBeenCalledTimes(2);
  });

  it('gives up questions that hang, and a disconnect that hangs', async () => {
    client.listTopics.mockImplementationOnce(never);
    await expect(transport.partitionsOf('events')).rejects.toThrow('has not answered');
    client.disconnect.mockImplementationOnce(never);
    expect(await transport.partitionsOf('events')).toBeUndefined();
  });

  it('closes what it opened when a connection fails half-way', async () => {
    client.connect.mockRejectedValue(new Error('No answer to the first question'));
    await expect(transport.partitionsOf('events')).rejects.toThrow('first question');
    expect(client.disconnect).toHaveBeenCalledTimes(1);
    await expect(transport.send('events', messages)).rejects.toThrow('first question');
    expect(client.disconnect).toHaveBeenCalledTimes(2);
  });

  it.each([
    ['a broker that is away', () => again(kafkaError('KafkaJSConnectionError', 'connect ECONNREFUSED'))],
    ['a broker that has gone', () => again(kafkaError('KafkaJSConnectionClosedError', 'Closed connection'))],
    ['a broker that is silent', () => again(kafkaError('KafkaJSRequestTimeoutError', 'Request timed out'))],
    ['a partition without a leader', () => again(answer('LEADER_NOT_AVAILABLE', true))],
    ['waiting for a broker', () => kafkaError('KafkaJSLockTimeout', 'Timeout while acquiring lock')],
  ])('tells an outage from other failures: %s', async (_what, failure) => {
    const error = failure();
    client.sendBatch.mockRejectedValueOnce(error);
    client.listTopics.mockRejectedValueOnce(error);
    for (const ask of [() => transport.send('events', messages), () => transport.partitionsOf('events')]) {
      const failed: Error = await ask().catch((error) => error);
      expect(failed).toBeInstanceOf(CarrierAway);
      expect(failed.message).toBe(error.message);
      expect(failed.cause).toBe(error);
    }
  });

  it('takes brokers that do not answer for an outage, and a refusal for none', async () => {
    client.listTopics.mockImplementationOnce(never);
    await expect(transport.partitionsOf('events')).rejects.toBeInstanceOf(CarrierAway);
    for (const refusal of [
      again(answer('TOPIC_AUTHORIZATION_FAILED', false)),
      kafkaError('KafkaJSSASLAuthenticationError', 'Wrong password'),
      new TypeError('a fault'),
    ]) {
      client.sendBatch.mockRejectedValueOnce(refusal);
      await expect(transport.send('events', messages)).rejects.toBe(refusal);
    }
  });
});

/** An error of kafkajs, whose types lack some of them, and their parameters. */
function kafkaError(name: string, ...args: unknown[]): Error {
  return Reflect.construct((kafkajs as unknown as Record<string, ErrorConstructor>)[name], args);
}

/** As kafkajs wraps an error after its last try. */
function again(cause: Error): Error {
  return kafkaError('KafkaJSNonRetriableError', cause, { cause });
}

function answer(type: string, retriable: boolean): Error {
  return kafkaError('KafkaJSProtocolError', Object.assign(new Error(type), { type, retriable }));
}
