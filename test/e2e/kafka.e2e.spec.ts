import { execFile, spawnSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { connect, createServer, type Server, type Socket } from 'node:net';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { type ApiClient, send } from '../support/client';
import { createTestDatabase } from '../support/database';
import { describeWithKafka, uniqueTopic } from '../support/kafka/broker';
import {
  administer,
  countMessages,
  createTopic,
  type SeenMessage,
  TopicReader,
  withoutRepeats,
} from '../support/kafka/consumer';
import { cached, freePort, type RunningApp } from '../support/process';
import { shared } from '../support/shared';
import { waitFor } from '../support/wait-for';
import { Office } from './office';
import { generalDivision, matter } from './records';

const projectorMain = join(__dirname, '../../dist/apps/projector/main.js');
const run = promisify(execFile);

/** Without kcat its test is skipped with a message; with REQUIRE_KAFKA=1 it fails. */
const itWithKcat = (() => {
  if (spawnSync('kcat', ['-V']).status === 0 || process.env.REQUIRE_KAFKA === '1') return it;
  process.stderr.write('kcat reads the topic: skipped. There is no kcat\n');
  return it.skip;
})();

describeWithKafka('processes with Kafka between them', () => {
  const topic = uniqueTopic();
  let brokers: string;
  let office: Office;
  let query: RunningApp;
  let projector: RunningApp;
  /** Clients of several tenants. */
  let apis: ApiClient[];
  let divisions: string[];

  beforeAll(async () => {
    brokers = await shared('kafka');
    office = await Office.create({ EVENT_BUS: 'kafka', KAFKA_BROKERS: brokers, KAFKA_TOPIC: topic });
    await office.start('command');
    [query, projector] = await Promise.all([office.start('query'), office.start('projector')]);
    apis = await Promise.all(['acme', 'birch'].map(tenant));
    divisions = await Promise.all(apis.map(generalDivision));
  });
  afterAll(() => office?.close());

  async function tenant(alias: string): Promise<ApiClient> {
    await office.cli('tenants', 'create', '--alias', alias, '--name', `Firm ${alias}`);
    return office.caller(alias, await office.integration(alias), { at: { reads: query.baseUrl } });
  }

  /** Titles of a tenant's matters, once its last write is visible. */
  async function titles(api: ApiClient): Promise<string[]> {
    const visible = async () => (await api.get('matters?pageSize=1')).status === 200;
    await waitFor(visible, { description: `the last write of ${api.tenant}` });
    return (await api.rows('matters', { pageSize: 200 })).map(({ title }) => title).sort();
  }

  const everyTitle = () => Promise.all(apis.map(titles));
  async function openMatters(word: string): Promise<void> {
    const open = (api: ApiClient, index: number) =>
      matter(api, { title: `${word} of ${api.tenant}`, divisionId: divisions[index] });
    await Promise.all(apis.map(open));
  }

  /** The number of events in the store, once the topic has them all. */
  async function published(): Promise<number> {
    const [{ count }] = await office.sql<{ count: number }>('select count(*)::int from event_store.events');
    await waitFor(async () => (await countMessages(brokers, topic)) >= count, {
      description: `${count} messages`,
    });
    return count;
  }

  it('show in query what was written in command', async () => {
    await openMatters('Lease');
    expect(await everyTitle()).toEqual([['Lease of acme'], ['Lease of birch']]);
    const metrics = await (await fetch(`${projector.baseUrl}/metrics`)).text();
    expect(metrics).toMatch(/^event_bus_events_total\{.*source="kafka".*\} [1-9]/m);
  });

  it('let another program rebuild the matters of a tenant from the topic alone', async () => {
    const [acme, birch] = apis;
    const renamed = await matter(acme, { title: 'Will' });
    await acme.data('PATCH', `matters/${renamed}`, { title: 'Testament' });
    await acme.data('DELETE', `matters/${await matter(acme, { title: 'Mistake' })}`);
    await matter(birch, { title: 'Probate' });
    const expected = await everyTitle();
    expect(expected[0]).toEqual(['Lease of acme', 'Testament']);

    const ids = await office.sql<{ id: number; alias: string }>('select id, alias from platform.tenants');
    const idOf = (api: ApiClient) => String(ids.find(({ alias }) => alias === api.tenant)?.id);
    const count = await published();
    const reader = await TopicReader.open(brokers, topic);
    await waitFor(() => withoutRepeats(reader.messages).length === count, {
      description: 'the end of the topic',
    });
    await reader.close();
    expect(apis.map((api) => rebuild(reader.messages, idOf(api)))).toEqual(expected);
  });

  itWithKcat('let kcat read the topic', async () => {
    const count = await published();
    const read = async (...format: string[]) => {
      const from = ['-b', brokers, '-t', topic, '-o', 'beginning'];
      const { stdout } = await run('kcat', ['-C', '-e', '-q', ...from, ...format], { maxBuffer: 2 ** 26 });
      return stdout.trimEnd().split('\n');
    };

    const documents = (await read('-J')).map((line) => {
      const { partition, key, headers: flat, payload } = JSON.parse(line);
      return { partition, key, headers: pairs(flat), value: JSON.parse(payload) };
    });
    const events = withoutRepeats(documents);
    expect(events).toHaveLength(count);
    for (const { key, headers, value } of events) {
      expect(headers['content-type']).toBe('application/cloudevents+json; charset=UTF-8');
      expect(headers).toMatchObject({ type: value.type, tenant: key, version: String(value.streamversion) });
      expect(value).toMatchObject({ specversion: '1.0', source: `/tenants/${key}`, partitionkey: key });
    }

    // Only the headers, as text.
    const lines = (await read('-f', '%p %h\n')).map((line) => {
      const [partition, list] = line.split(/ (.*)/);
      const headers = pairs(list.split(',').flatMap((pair) => pair.split(/=(.*)/s).slice(0, 2)));
      return { partition: Number(partition), headers };
    });
    // Compares each partition in its order, because the order between partitions differs with each reading.
    const headersOf = (all: Pick<(typeof lines)[number], 'partition' | 'headers'>[]) =>
      [...all].sort((a, b) => a.partition - b.partition).map(({ headers }) => headers);
    expect(headersOf(withoutRepeats(lines))).toEqual(headersOf(events));
  });

  it('hand partitions over within ten seconds when a projector is told to stop', async () => {
    const second = await office.start('projector');
    const [{ id }] = await office.sql<{ id: string }>('select id from platform.installation');
    const group = `${topic}.projections.${id}`;
    const members = async () => {
      const { groups } = await administer(brokers, (admin) => admin.describeGroups([group]));
      return groups[0].state === 'Stable' && groups[0].members.length === 2;
    };
    await waitFor(members, { description: 'two that share the partitions' });
    await openMatters('Shared');
    await everyTitle();

    const from = Date.now();
    const [code] = await Promise.all([projector.stop(), openMatters('Inherited')]);
    const shown = await everyTitle();
    expect(Date.now() - from).toBeLessThan(10_000);
    expect(code).toBe(0);
    for (const [index, { tenant }] of apis.entries())
      expect(shown[index]).toContain(`Inherited of ${tenant}`);
    expect(await second.stop()).toBe(0);
  });

  it('start without a broker, report it, and recover by themselves once there is one', async () => {
    const port = await freePort();
    projector = await office.start('projector', { KAFKA_BROKERS: `127.0.0.1:${port}` });
    const health = async () => (await send('GET', `${projector.baseUrl}/health/ready`)).body;
    const degraded = await waitFor(async () => (await health()).degraded, { description: 'a problem' });
    expect(degraded.join('\n')).toMatch('ECONNREFUSED');
    await openMatters('Delayed');

    const gate = await openGate(port, brokers.split(',')[0]);
    try {
      const shown = await everyTitle();
      for (const [index, { tenant }] of apis.entries())
        expect(shown[index]).toContain(`Delayed of ${tenant}`);
      await waitFor(async () => (await health()).status === 'ok', {
        description: 'no problem',
      });
    } finally {
      expect(await projector.stop()).toBe(0);
      await gate.close();
    }
  });

  it('do not start when the topic has another number of partitions', async () => {
    const other = uniqueTopic();
    await createTopic(brokers, other, 5);
    const database = await createTestDatabase();
    const { PATH = '', HOME = '' } = process.env;
    const env = {
      PATH,
      HOME,
      LOG_LEVEL: 'warn',
      NODE_ENV: 'test',
      PORT: String(await freePort()),
      DATABASE_URL: database.url,
      SECRETS_KEY: randomBytes(32).toString('base64'),
      EVENT_BUS: 'kafka',
      KAFKA_BROKERS: brokers,
      KAFKA_TOPIC: other,
    };
    const ended = run(process.execPath, [...cached, projectorMain], { env, timeout: 120_000 });
    await expect(ended).rejects.toMatchObject({
      code: 1,
      stdout: '',
      stderr:
        `Configuration: Topic ${other} has 5 partitions instead of 12. ` +
        'Delete it, so that it is created again with every event, or choose another KAFKA_TOPIC\n',
    });
    await database.drop();
  });
});

/** The titles of a tenant's matters, read with only the topic's description. */
function rebuild(messages: SeenMessage[], tenant: string): string[] {
  const matters = new Map<string, string>();
  for (const { headers, value } of withoutRepeats(messages)) {
    if (headers.tenant !== tenant || !/^Matter/.test(headers.type)) continue;
    const { subject, data } = JSON.parse(value);
    if (headers.type === 'MatterDeleted') matters.delete(subject);
    else if (data.title) matters.set(subject, data.title);
  }
  return [...matters.values()].sort();
}

/** Turns alternating names and values into an object. */
function pairs(flat: string[]): Record<string, string> {
  return Object.fromEntries(flat.flatMap((name, index) => (index % 2 ? [] : [[name, flat[index + 1]]])));
}

/** Makes a broker reachable at another port, too. */
async function openGate(port: number, broker: string): Promise<{ close(): Promise<void> }> {
  const [host, target] = broker.split(':');
  const sockets: Socket[] = [];
  const server: Server = createServer((socket) => {
    const behind = connect(Number(target), host);
    for (const one of [socket, behind]) one.on('error', () => undefined);
    sockets.push(socket, behind);
    socket.pipe(behind).pipe(socket);
  });
  await once(server.listen(port, '127.0.0.1'), 'listening');
  return {
    async close() {
      for (const socket of sockets) socket.destroy();
      await once(server.close(), 'close');
    },
  };
}
