import { describeWithKafka, uniqueTopic } from '../support/kafka/broker';
import { countMessages, TopicReader } from '../support/kafka/consumer';
import { shared } from '../support/shared';
import { waitFor } from '../support/wait-for';
import { life, person, words } from './erasure-life';
import { Office } from './office';
import { remainsIn } from './remains';

describeWithKafka('a person whose data is erased, with Kafka between the processes', () => {
  const topic = uniqueTopic();
  let brokers: string;
  let office: Office;

  beforeAll(async () => {
    brokers = await shared('kafka');
    office = await Office.create({
      EVENT_BUS: 'kafka',
      KAFKA_BROKERS: brokers,
      KAFKA_TOPIC: topic,
      LOG_LEVEL: 'trace',
    });
    await office.start('command');
  });
  afterAll(() => office?.close());

  it('is in no message before, and in no read model afterwards', async () => {
    const [query] = await Promise.all([office.start('query'), office.start('projector')]);
    await office.cli('tenants', 'create', '--alias', 'acme', '--name', 'Acme');
    const credentials = await office.integration('acme');
    const api = await office.caller('acme', credentials, { at: { reads: query.baseUrl } });
    const { entityId, matterId } = await life(api);
    expect((await api.data('GET', `entities/${entityId}`)).lastName).toBe(person.lastName);
    await api.data('POST', `matters/${matterId}/close`);
    await api.data('POST', `entities/${entityId}/anonymise`);
    // Events from Kafka are decrypted with the present keys.
    const erased = await api.data('GET', `entities/${entityId}`);
    expect(erased).toMatchObject({ sortName: `Erased ${entityId.slice(-4)}`, email: null, phones: [] });

    const [{ count }] = await office.sql<{ count: number }>('select count(*)::int from event_store.events');
    await waitFor(async () => (await countMessages(brokers, topic)) >= count, {
      description: `${count} messages`,
    });
    const reader = await TopicReader.open(brokers, topic);
    await waitFor(() => reader.messages.length >= count, { description: 'the end of the topic' });
    await reader.close();
    const texts = reader.messages.map((message) => JSON.stringify(message));
    const ofThem = texts.filter((text) => text.includes('EntityCreated') && text.includes('sealed'));
    expect(ofThem.length).toBeGreaterThan(1);
    expect(remainsIn('topic', texts.join('\n'), words)).toEqual([]);
    expect(remainsIn('log', office.output(), words)).toEqual([]);
  });
});
