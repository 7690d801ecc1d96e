import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ApiClient } from '../support/client';
import { hasMetric, metricsOf, readDashboard } from '../support/dashboard';
import { describeWithKafka, uniqueTopic } from '../support/kafka/broker';
import { OtlpReceiver, type ReceivedSpan } from '../support/otlp-receiver';
import { freePort, type RunningApp } from '../support/process';
import { shared } from '../support/shared';
import { waitFor } from '../support/wait-for';
import { Office } from './office';
import { activeClient, employee, hour, matter } from './records';
import { listingVariables, workItemListing } from './specification-walk';

const SECRET = 'let me in';
const NAMES = ['Quillfeather', 'Zebedee', 'Ownership of the mill'];

let office: Office;
let receiver: OtlpReceiver;
let apps: Record<'command' | 'query' | 'projector' | 'worker', RunningApp>;
let api: ApiClient;
let item: object;
let scraped: string;

/** A caller's trace context. */
function parent(sampled: boolean) {
  const [traceId, spanId] = [randomBytes(16).toString('hex'), randomBytes(8).toString('hex')];
  return { traceId, spanId, headers: { traceparent: `00-${traceId}-${spanId}-0${sampled ? 1 : 0}` } };
}
const traced = parent(true);
const reported = parent(true);
const refused = parent(true);
const unsampled = parent(false);
let untraced: { headers: Headers };

beforeAll(async () => {
  receiver = await OtlpReceiver.start();
  office = await Office.create({
    OTEL_EXPORTER_OTLP_ENDPOINT: `${receiver.url}/`,
    OTEL_EXPORTER_OTLP_HEADERS: `x-collector-key=${encodeURIComponent(SECRET)}`,
    LOG_LEVEL: 'debug',
  });
  const command = await office.start('command');
  const [query, projector, worker] = await Promise.all([
    office.start('query'),
    office.start('projector'),
    office.start('worker'),
  ]);
  apps = { command, query, projector, worker };
  await office.cli('tenants', 'create', '--alias', 'acme', '--name', 'Acme', '--region', 'uk');
  api = await office.caller('acme', await office.integration('acme'), { at: { reads: query.baseUrl } });

  const [lastName, firstName, title] = NAMES;
  const feeEarner = await employee(api, {
    entityId: await api.create('entities', { entityType: 'Individual', firstName, lastName }),
  });
  const mattersId = await matter(api, { clientId: await activeClient(api, lastName), title });
  item = hour(mattersId, feeEarner, { title });

  expect((await api.post('workitems', item, unsampled.headers)).status).toBe(201);
  const written = await api.post('workitems', item, traced.headers);
  expect([written.status, written.headers.get('x-trace-id')]).toEqual([201, traced.traceId]);
  untraced = await api.post('workitems', item);
  const { criteria, slice } = listingVariables();
  const body = { operationName: 'GetRows', query: workItemListing, variables: { criteria, slice } };
  expect((await api.post('/acme/graphql', body, reported.headers)).status).toBe(200);
  expect((await api.get(`matters/${lastName}?keywords=${lastName}`, refused.headers)).status).toBe(404);
  const answers = Object.values(apps).map(async ({ baseUrl }) => (await fetch(`${baseUrl}/metrics`)).text());
  scraped = (await Promise.all(answers)).join('\n');
  // Processes send their remaining spans when they stop.
  await Promise.all(Object.values(apps).map((app) => app.stop()));
});
afterAll(async () => {
  await office.close();
  await receiver.stop();
});

const spansIn = ({ traceId }: { traceId: string }) =>
  receiver.spans.filter((span) => span.traceId === traceId);

function only(spans: ReceivedSpan[], name: string): ReceivedSpan {
  const found = spans.filter((span) => span.name === name);
  expect([name, found.length]).toEqual([name, 1]);
  return found[0];
}

describe('a write', () => {
  it('is traced from the request through the append to every read model', () => {
    const spans = spansIn(traced);
    const request = only(spans, 'POST /:tenant/api/v1/workitems');
    expect(request).toMatchObject({ service: 'practice-management-command', kind: 'server', status: 0 });
    expect(request.parentSpanId).toBe(traced.spanId);
    expect(request.attributes).toEqual({
      'http.request.method': 'POST',
      'http.route': '/:tenant/api/v1/workitems',
      'url.scheme': 'http',
      'network.protocol.version': '1.1',
      'http.response.status_code': 201,
      'practice.tenant': 'acme',
    });

    const append = only(spans, 'append workitem');
    expect(append).toMatchObject({ service: 'practice-management-command', kind: 'producer', status: 0 });
    expect(append.parentSpanId).toBe(request.spanId);
    expect(append.attributes).toMatchObject({
      'practice.tenant': 'acme',
      'practice.event.types': ['WorkItemCreated', 'WorkItemFinalised'],
      'practice.event.count': 2,
    });
    // Each span's clock starts at a whole millisecond.
    expect(append.end).toBeLessThanOrEqual(request.end + 1);

    const projected = spans.filter((span) => span !== request && span !== append);
    expect(projected.map(({ name, attributes }) => [name, attributes['practice.event.type']]).sort()).toEqual(
      [
        ['project fee-analysis', 'WorkItemFinalised'],
        ['project work-items', 'WorkItemCreated'],
        ['project work-items', 'WorkItemFinalised'],
      ],
    );
    const positions = projected.map(({ attributes }) => attributes['practice.event.position']);
    expect(positions).toContain(append.attributes['practice.event.position']);
    for (const span of projected) {
      expect(span).toMatchObject({ service: 'practice-management-projector', kind: 'consumer', status: 0 });
      expect(span.parentSpanId).toBe(append.spanId);
      expect(span.attributes).toMatchObject({
        'practice.event.position': expect.stringMatching(/^\d+\.\d+\.\d+$/),
        'practice.tenant.id': append.attributes['practice.tenant.id'],
        'practice.partition': expect.any(Number),
        'practice.batch.size': expect.any(Number),
      });
      expect(span.end).toBeGreaterThanOrEqual(append.start);
    }
  });

  it('has its own trace when its caller has none', () => {
    const traceId = untraced.headers.get('x-trace-id')!;
    const spans = spansIn({ traceId });
    expect(spans).toHaveLength(5);
    expect(only(spans, 'POST /:tenant/api/v1/workitems').parentSpanId).toBeUndefined();
  });

  it('leaves no span when its caller does not sample, and no trace in its events', async () => {
    expect(spansIn(unsampled)).toEqual([]);
    const metadata = await office.sql<{ correlation: string; traceparent: string | null }>(
      `select metadata->>'correlationId' as correlation, metadata->>'traceparent' as traceparent
       from event_store.events where type = 'WorkItemCreated' order by position`,
    );
    const append = only(spansIn(traced), 'append workitem');
    expect(metadata.slice(0, 2)).toEqual([
      { correlation: unsampled.traceId, traceparent: null },
      { correlation: traced.traceId, traceparent: `00-${traced.traceId}-${append.spanId}-01` },
    ]);
  });
});

it('the span of a request names its report', () => {
  expect(only(spansIn(reported), 'POST /:tenant/graphql')).toMatchObject({
    service: 'practice-management-query',
    attributes: {
      'graphql.operation.type': 'query',
      'graphql.operation.name': 'GetRows',
      'practice.reports': ['work_item_listing'],
      'practice.tenant': 'acme',
    },
  });
});

it('the span of a refusal is not an error, and shows only the route', () => {
  const { version } = JSON.parse(readFileSync(join(__dirname, '../../package.json'), 'utf8'));
  expect(only(spansIn(refused), 'GET /:tenant/api/v1/matters/:id')).toMatchObject({
    status: 0,
    attributes: { 'http.response.status_code': 404 },
    resource: { 'service.version': version, 'telemetry.sdk.language': 'nodejs' },
  });
});

it('spans contain no personal data, no secrets and no probes', () => {
  expect(receiver.spans.length).toBeGreaterThan(20);
  for (const text of [...NAMES, api.token, 'mark', SECRET, 'Bearer', 'keywords'])
    expect(receiver.text).not.toContain(text);
  expect(receiver.spans.filter(({ name }) => /health|metrics/.test(name))).toEqual([]);
  expect(new Set(receiver.headers.map((headers) => headers['x-collector-key']))).toEqual(new Set([SECRET]));
  expect(office.output()).not.toMatch(/let(%20| )me(%20| )in/);
});

it('a collector that refuses or never answers neither slows requests nor keeps a process from stopping', async () => {
  const mute = await OtlpReceiver.start({ mute: true });
  const collectors = [`http://127.0.0.1:${await freePort()}`, mute.url];
  const commands = await Promise.all(
    collectors.map((url) => office.start('command', { OTEL_EXPORTER_OTLP_ENDPOINT: url })),
  );
  for (const { baseUrl, stop, output } of commands) {
    const caller = new ApiClient('acme', api.token, { writes: baseUrl, reads: baseUrl });
    for (let count = 0; count < 20; count++) {
      const startedAt = Date.now();
      expect((await caller.post('workitems', item, parent(true).headers)).status).toBe(201);
      expect(Date.now() - startedAt).toBeLessThan(5_000);
    }
    const stoppedAt = Date.now();
    expect(await stop()).toBe(0);
    expect(Date.now() - stoppedAt).toBeLessThan(9_000); // an export gives up after 10 s
    expect(output().match(/Traces are lost/g)?.length ?? 0).toBeLessThanOrEqual(1);
  }
  await mute.stop();
});

describe('the example dashboard', () => {
  const dashboard = readDashboard();
  const asked = metricsOf(dashboard);
  const ofKafka = asked.filter((metric) => metric.startsWith('event_bus_'));

  it('can be imported into Grafana', () => {
    expect(dashboard).toMatchObject({ id: null, uid: 'practice-management', schemaVersion: 39 });
    expect(new Set(dashboard.panels.map(({ id }) => id)).size).toBe(dashboard.panels.length);
    const sources = JSON.stringify(dashboard).match(/"uid":"\$\{datasource\}"/g);
    expect(sources?.length).toBeGreaterThan(dashboard.panels.length);
  });

  it('uses only metrics that the processes have', () => {
    const common = asked.filter((metric) => !ofKafka.includes(metric));
    expect(common.length).toBeGreaterThan(7);
    expect(common.filter((metric) => !hasMetric(scraped, metric))).toEqual([]);
  });

  describeWithKafka('with Kafka', () => {
    let brokers: string;
    beforeAll(async () => {
      brokers = await shared('kafka');
    });

    it('uses only metrics that the projector has, and a write is traced through the publisher', async () => {
      const env = { EVENT_BUS: 'kafka', KAFKA_BROKERS: brokers, KAFKA_TOPIC: uniqueTopic() };
      const projector = await office.start('projector', env);
      let given = '';
      await waitFor(
        async () => {
          given = await (await fetch(`${projector.baseUrl}/metrics`)).text();
          const lags = given.match(/^event_bus_publish_lag_seconds.* .*$/gm) ?? [];
          return lags.length > 0 && lags.every((line) => line.endsWith(' 0'));
        },
        { description: 'all events to be published' },
      );
      expect(ofKafka.length).toBeGreaterThan(1);
      expect(ofKafka.filter((metric) => !hasMetric(given, metric))).toEqual([]);
      await projector.stop();
      const append = only(spansIn(traced), 'append workitem');
      const published = only(spansIn(traced), 'publish WorkItemCreated');
      expect(published).toMatchObject({ parentSpanId: append.spanId, kind: 'producer' });
    });
  });
});
