import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type ConfigError, loadConfig } from './config';

function problemsOf(environment: Record<string, string>): string[] {
  try {
    loadConfig(environment);
    return [];
  } catch (error) {
    return (error as ConfigError).problems;
  }
}

it('carries events through the store itself by default', () => {
  expect(loadConfig({})).toMatchObject({ EVENT_BUS: 'postgres', KAFKA_TOPIC: 'practice.events.v1' });
});

it('needs brokers for Kafka, as host:port', () => {
  expect(problemsOf({ EVENT_BUS: 'kafka' })).toEqual(['KAFKA_BROKERS is required when EVENT_BUS=kafka']);
  expect(problemsOf({ EVENT_BUS: 'rabbit' })).toHaveLength(1);
  for (const KAFKA_BROKERS of [
    'kafka',
    'kafka:x',
    'kafka:9092,',
    'kafka:9092, other:9092',
    'kafka:0',
    'kafka:65536',
    'http://kafka:9092',
  ])
    expect(problemsOf({ KAFKA_BROKERS })).toEqual(['KAFKA_BROKERS must be host:port,host:port']);
  const config = loadConfig({ EVENT_BUS: 'kafka', KAFKA_BROKERS: 'one:9092,10.0.0.2:9093' });
  expect(config.kafkaBrokers).toEqual(['one:9092', '10.0.0.2:9093']);
});

it('accepts only names of topics that Kafka accepts', () => {
  for (const KAFKA_TOPIC of ['.', '..', 'a b', 'a'.repeat(201)])
    expect(problemsOf({ KAFKA_TOPIC })).toEqual(['KAFKA_TOPIC must be a name that Kafka takes']);
  expect(problemsOf({ KAFKA_TOPIC: 'firm.events' })).toEqual([]);
});

it('needs a name and a password to log in to the brokers', () => {
  expect(problemsOf({ KAFKA_SASL: 'gssapi' })).not.toEqual([]);
  expect(problemsOf({ KAFKA_SASL: 'plain', KAFKA_PASSWORD: '' })).toEqual([
    'KAFKA_USERNAME is required with KAFKA_SASL',
    'KAFKA_PASSWORD is required with KAFKA_SASL',
  ]);
  const login = { KAFKA_SASL: 'scram-sha-512', KAFKA_USERNAME: 'practice', KAFKA_PASSWORD: 'secret' };
  expect(loadConfig(login)).toMatchObject(login);
});

it('accepts the address of a collector, and the fraction of the requests to trace', () => {
  expect(loadConfig({ OTEL_TRACES_SAMPLER_ARG: '0.1' }).OTEL_TRACES_SAMPLER_ARG).toBe(0.1);
  for (const wrong of ['-1', '1.5', 'all'])
    expect(problemsOf({ OTEL_TRACES_SAMPLER_ARG: wrong })).not.toEqual([]);
  for (const wrong of ['localhost:4318', 'http://localhost:4318/?team=one', 'http://localhost:4318/#'])
    expect(problemsOf({ OTEL_EXPORTER_OTLP_ENDPOINT: wrong })).not.toEqual([]);
  for (const taken of ['http://localhost:4318', 'http://firm_collector_1:4318'])
    expect(problemsOf({ OTEL_EXPORTER_OTLP_ENDPOINT: taken })).toEqual([]);
});

it('accepts the name of a container as the host of the database, and a folder that does not exist yet', () => {
  const DATABASE_URL = 'postgresql://practice:pa_ss@firm_postgres_1:5432/practice';
  const DATA_DIR = join(__dirname, 'nowhere', 'yet');
  expect(loadConfig({ DATABASE_URL, DATA_DIR })).toMatchObject({ DATABASE_URL, DATA_DIR });
});

it('accepts the hosts from which imports may come, and refuses insecure ones in production', () => {
  expect(loadConfig({ IMPORT_ALLOWED: 'sql.firm.example:1433,10.0.0.0/8' })).toMatchObject({
    IMPORT_ALLOWED: 'sql.firm.example:1433,10.0.0.0/8',
    IMPORT_ALLOW_INSECURE: 'false',
  });
  const production = {
    NODE_ENV: 'production',
    DATABASE_URL: 'postgres://x/y',
    SECRETS_KEY: Buffer.alloc(32).toString('base64'),
  };
  expect(problemsOf({ ...production, IMPORT_ALLOW_INSECURE: 'true' })).toEqual([
    'IMPORT_ALLOW_INSECURE is refused when NODE_ENV=production',
  ]);
});

it('accepts headers for the collector in the form that OpenTelemetry defines', () => {
  for (const OTEL_EXPORTER_OTLP_HEADERS of ['x-key=a%20b', 'a=b,c=d', 'authorization=Basic%20YTpi,x=YQ=='])
    expect(loadConfig({ OTEL_EXPORTER_OTLP_HEADERS })).toMatchObject({ OTEL_EXPORTER_OTLP_HEADERS });
});

it('accepts only a readable file of certificates', () => {
  const folder = mkdtempSync(join(tmpdir(), 'config-'));
  const [good, other] = [join(folder, 'ca.pem'), join(folder, 'other.pem')];
  writeFileSync(good, '-----BEGIN CERTIFICATE-----\n');
  writeFileSync(other, 'certificate');
  expect(problemsOf({ IMPORT_CA_FILE: good })).toEqual([]);
  expect(problemsOf({ IMPORT_CA_FILE: other })).toEqual([
    'IMPORT_CA_FILE must name a file of certificates in PEM',
  ]);
  rmSync(folder, { recursive: true });
  expect(problemsOf({ IMPORT_CA_FILE: good })).toEqual([
    expect.stringMatching(/^IMPORT_CA_FILE cannot be read: ENOENT/),
  ]);
});

it('keeps the public address without a slash at its end, whether it was given with one or not', () => {
  for (const PUBLIC_URL of ['https://firm.example/api', 'https://firm.example/api/'])
    expect(loadConfig({ PUBLIC_URL }).publicUrl).toBe('https://firm.example/api');
});

it.each([
  ['127.0.0.1', 'http://127.0.0.1:8080'],
  ['::1', 'http://[::1]:8080'],
  ['localhost', 'http://localhost:8080'],
])('makes the public address that is not given from the host %s', (HOST, url) => {
  expect(loadConfig({ HOST }).publicUrl).toBe(url);
  expect(loadConfig({ HOST, PUBLIC_URL: 'https://firm.example' }).localUrl).toBe(url);
});

it('reads numbers as numbers, and uses defaults for what is not given', () => {
  expect(loadConfig({ PORT: '0', DATABASE_POOL: '20', OTEL_TRACES_SAMPLER_ARG: '.5' })).toMatchObject({
    PORT: 0,
    DATABASE_POOL: 20,
    OTEL_TRACES_SAMPLER_ARG: 0.5,
    HOST: '127.0.0.1',
    DATA_DIR: '.data',
    NODE_ENV: 'development',
  });
});

it.each([
  ['IMPORT_ALLOWED', 'a, b'],
  ['IMPORT_ALLOWED', 'a/b'],
  ['IMPORT_ALLOWED', '10.0.0.0/33'],
  ['WEBHOOKS_ALLOWED', 'hooks.internal:65536'],
  ['WEBHOOKS_ALLOWED', 'hooks.internal:0'],
  ['WEBHOOKS_ALLOWED', 'http://hooks.internal'],
  ['WEBHOOKS_ALLOWED', 'hooks.internal,'],
  ['IMPORT_CA_FILE', '/nonexistent/ca.pem'],
  ['IMPORT_CA_FILE', '/'],
  ['OTEL_EXPORTER_OTLP_HEADERS', 'garbage'],
  ['OTEL_EXPORTER_OTLP_HEADERS', 'a=b,'],
  ['OTEL_EXPORTER_OTLP_HEADERS', 'a=%zz'],
  ['OTEL_EXPORTER_OTLP_HEADERS', 'na me=b'],
  ['PORT', '0x4811'],
  ['PORT', '1e3'],
  ['PORT', '80.0'],
  ['PORT', ' 80'],
  ['OTEL_TRACES_SAMPLER_ARG', '0x1'],
  ['PUBLIC_URL', 'http://firm.example/?a=b'],
  ['PUBLIC_URL', 'http://firm.example/#top'],
  ['IMPORT_ALLOW_INSECURE', 'yes'],
  ['PORT', '99999'],
  ['PORT', 'http'],
  ['REGION', 'us'],
  ['NODE_ENV', 'staging'],
  ['SECRETS_KEY', 'secret'],
  ['DATABASE_URL', 'mysql://x/y'],
  ['DATA_DIR', __filename],
  ['DATA_DIR', `${__filename}/data`],
  ['DATABASE_POOL', '1'],
  ['LOG_LEVEL', 'loud'],
  ['PUBLIC_URL', 'nowhere'],
])('refuses %s=%s, and names it', (name, value) => {
  const problems = problemsOf({ [name]: value });
  expect(problems.length).toBeGreaterThan(0);
  for (const problem of problems) expect(problem).toContain(name);
});
