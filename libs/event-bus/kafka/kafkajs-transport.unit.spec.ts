import kafkajs = require('kafkajs');
import timers = require('node:timers/promises');

import type { Config } from '#platform/config';
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
});
