import { randomBytes } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { getMetadataStorage } from 'class-validator';
import { parse } from 'yaml';
import { Config, loadConfig } from '#platform/config';
import { packageRoot } from '#platform/package-root';
import { nodeFlags } from '../deployed';

type Service = {
  image: string;
  build?: string;
  command?: string[];
  profiles?: string[];
  deploy?: { replicas: number };
  depends_on?: Record<string, { condition: string }>;
  environment?: Record<string, string | number>;
  healthcheck?: { test: string[]; interval: string; timeout: string };
  ports?: string[];
  volumes?: string[];
  stop_grace_period?: string;
};

const read = (name: string) => readFileSync(join(packageRoot(), name), 'utf8');
const compose = parse(read('docker-compose.yml'), { merge: true }) as {
  services: Record<string, Service>;
  volumes: Record<string, null>;
};
const { services } = compose;
const dockerfile = read('Dockerfile');
const caddyfile = read('Caddyfile');

const replicas = { command: 2, query: 2, projector: 2, worker: 1 };
const apps = Object.keys(replicas);
const neededSecrets = {
  POSTGRES_PASSWORD: 'secret',
  SECRETS_KEY: randomBytes(32).toString('base64'),
};

/** Every variable that the processes know. */
const settings = new Set(
  getMetadataStorage()
    .getTargetValidationMetadatas(Config, '', false, false)
    .map(({ propertyName }) => propertyName),
);

/** Fills in `${NAME:-default}` and `${NAME:?message}` like Compose. */
function filledIn(value: string | number, environment: Record<string, string> = {}): string {
  return String(value).replaceAll(/\$\{(\w+):([-?])([^}]*)\}/g, (_all, name, kind, rest) => {
    if (environment[name] === undefined && kind === '?') throw new Error(`${name} ${rest}`);
    return environment[name] ?? rest;
  });
}

/** The variables that the image sets. */
const imageEnvironment = Object.fromEntries(
  dockerfile
    .match(/^ENV (.*)$/m)![1]
    .split(' ')
    .map((pair) => pair.split('=')),
);

describe('the services', () => {
  it('are the processes of production and the services that these need', () => {
    const others = ['postgres', 'kafka', 'sqlserver', 'proxy'];
    expect(Object.keys(services).sort()).toEqual([...apps, ...others].sort());
    for (const [name, copies] of Object.entries(replicas)) {
      const { build, command } = services[name];
      expect([build, command!.at(-1)]).toEqual(['.', `dist/apps/${name}/main.js`]);
      expect(existsSync(join(packageRoot(), 'apps', name, 'main.ts'))).toBe(true);
      expect(services[name].deploy?.replicas ?? 1).toBe(copies);
    }
    expect(services.postgres.command).toContain('max_locks_per_transaction=256');
    expect(Object.entries(services).filter(([, { profiles }]) => profiles)).toEqual([
      ['sqlserver', expect.objectContaining({ profiles: ['import'] })],
    ]);
  });

  it('have a health check each, the processes that of their image', () => {
    for (const [name, { healthcheck }] of Object.entries(services)) {
      if (apps.includes(name)) expect(healthcheck).toBeUndefined();
      else expect(healthcheck!.test[0]).toMatch(/^CMD(-SHELL)?$/);
    }
    expect(dockerfile).toMatch(/^HEALTHCHECK .*CMD \["node", "-e", ".*\/health\/ready/m);
  });

  it('wait for the health of what they need', () => {
    const needs = Object.entries(services).map(([name, { depends_on = {} }]) => {
      for (const { condition } of Object.values(depends_on)) expect(condition).toBe('service_healthy');
      return [name, Object.keys(depends_on)];
    });
    expect(Object.fromEntries(needs)).toEqual({
      postgres: [],
      kafka: [],
      sqlserver: [],
      command: ['postgres'],
      query: ['postgres'],
      projector: ['postgres', 'kafka'],
      worker: ['postgres', 'kafka'],
      proxy: ['command', 'query'],
    });
  });

  it('are given more time to stop than they take', () => {
    for (const { stop_grace_period = '10s' } of Object.values(services))
      expect(Number.parseInt(stop_grace_period, 10)).toBeGreaterThan(10);
  });

  it('can be reached from outside through the proxy only', () => {
    const open = Object.entries(services).filter(([, { ports }]) => ports);
    expect(open.map(([name, { ports }]) => [name, ports])).toEqual([['proxy', ['8080:8080']]]);
  });

  it('keep their data in volumes', () => {
    const mounted = Object.entries(services).flatMap(([name, { volumes = [] }]) =>
      volumes.map((volume) => [name, ...volume.split(':')]),
    );
    const named = mounted.filter(([, source]) => !source.startsWith('.'));
    const documents = services.command.environment!.DOCUMENTS_DIR;
    expect(named).toEqual([
      ['postgres', 'postgres', '/var/lib/postgresql'],
      ['kafka', 'kafka', services.kafka.environment!.KAFKA_LOG_DIRS],
      ['sqlserver', 'sqlserver', '/var/opt/mssql'],
      // All processes that write, read or sweep documents need the same folder.
      ...['command', 'query', 'worker'].map((name) => [name, 'documents', documents]),
    ]);
    expect(Object.keys(compose.volumes)).toEqual([...new Set(named.map(([, source]) => source))]);
    // The image's folder is writable for everybody, and a new volume copies that.
    expect(dockerfile).toContain(`mkdir -p ${documents} && chmod 1777 ${documents}`);
  });

  it('name the version of their image', () => {
    for (const { image, build } of Object.values(services)) if (!build) expect(image).toMatch(/:\d/);
    const [, version] = /<kafka\.version>(.+)<\/kafka\.version>/.exec(read('test/support/kafka/pom.xml'))!;
    expect(services.kafka.image).toBe(`apache/kafka:${version}`);
  });
});

describe('the environment', () => {
  it('has only variables that each process knows, and lets it start', () => {
    for (const name of apps) {
      const environment = services[name].environment!;
      expect(Object.keys(environment).filter((variable) => !settings.has(variable))).toEqual([]);
      const filled = Object.fromEntries(
        Object.entries(environment).map(([variable, value]) => [variable, filledIn(value, neededSecrets)]),
      );
      expect(loadConfig({ ...imageEnvironment, ...filled })).toMatchObject({
        NODE_ENV: 'production',
        HOST: '0.0.0.0',
        PORT: 8080,
        EVENT_BUS: 'kafka',
        kafkaBrokers: ['kafka:9092'],
        TRUSTED_PROXIES: 1,
      });
    }
  });

  it('passes on what an operator may set, with the defaults of the processes', () => {
    const given = {
      READ_DATABASE_URL: 'postgres://reads/practice',
      DATABASE_POOL: '20',
      PARTITIONS: '24',
      PROJECTION_BATCH: '500',
      DOCUMENTS_ORPHAN_MINUTES: '10080',
      KAFKA_TOPIC: 'practice.events.v2',
      WEBHOOKS_ALLOWED: 'hooks.internal',
      WEBHOOKS_LOG_DAYS: '7',
      IMPORT_ALLOWED: '10.0.0.0/8',
      IMPORT_CA_FILE: '/certificates/ca.pem',
      OTEL_TRACES_SAMPLER_ARG: '0.5',
      LOG_LEVEL: 'warn',
    };
    const defaults = loadConfig({}) as unknown as Record<string, unknown>;
    for (const app of apps)
      for (const [name, value] of Object.entries(given)) {
        const passed = services[app].environment![name];
        expect([name, filledIn(passed, given)]).toEqual([name, value]);
        expect([name, filledIn(passed)]).toEqual([name, String(defaults[name] ?? '')]);
      }
  });

  it('leaves out only settings that the deployment determines', () => {
    const decided = [
      ...['DATA_DIR'], // no embedded database runs
      ...['WEBHOOKS_ALLOW_INSECURE', 'IMPORT_ALLOW_INSECURE'], // refused in production
      // The only broker cannot be reached from outside.
      ...['KAFKA_REPLICATION', 'KAFKA_TLS', 'KAFKA_SASL', 'KAFKA_USERNAME', 'KAFKA_PASSWORD'],
      ...['IMPORT_CONNECTION'], // a password, for one command: `docker compose run -e IMPORT_CONNECTION …`
    ];
    for (const app of apps) {
      const set = { ...imageEnvironment, ...services[app].environment };
      expect([...settings].filter((name) => !(name in set)).sort()).toEqual(decided.sort());
    }
  });

  it('has no secrets of its own', () => {
    const { SECRETS_KEY, DATABASE_URL } = services.command.environment!;
    expect(() => filledIn(SECRETS_KEY)).toThrow('SECRETS_KEY is needed');
    expect(() => filledIn(DATABASE_URL)).toThrow('POSTGRES_PASSWORD is needed');
    expect(() => filledIn(services.postgres.environment!.POSTGRES_PASSWORD)).toThrow('is needed');
    expect(filledIn(services.sqlserver.environment!.MSSQL_SA_PASSWORD)).toBe('');
  });

  it('creates no topic by accident, and names the listener that the processes use', () => {
    expect(services.kafka.environment).toMatchObject({
      KAFKA_AUTO_CREATE_TOPICS_ENABLE: 'false',
      KAFKA_ADVERTISED_LISTENERS: `PLAINTEXT://${services.projector.environment!.KAFKA_BROKERS}`,
    });
  });

  it('also serves the commands of the operator, as the README says', () => {
    const [, service, main] = /docker compose run --rm (\w+) dist\/(\S+)\.js/.exec(read('README.md'))!;
    expect([apps.includes(service), existsSync(join(packageRoot(), `${main}.ts`))]).toEqual([true, true]);
    // Arguments of `run` replace the command, but not the entry point, which is Node.
    expect(dockerfile).toMatch(/^ENTRYPOINT \["node", [^\]]*\]$/m);
    expect(dockerfile).toContain('COPY --from=build /app/dist/apps dist/apps');
  });

  it('has every setting of the processes explained in the README', () => {
    const readme = read('README.md');
    expect([...settings].filter((name) => !readme.includes(`| \`${name}\` |`))).toEqual([]);
  });
});

describe('the proxy', () => {
  it('reads the Caddyfile and has its variables', () => {
    expect(services.proxy.volumes).toEqual(['./Caddyfile:/etc/caddy/Caddyfile:ro']);
    const placeholders = [...caddyfile.matchAll(/\{\$(\w+)(:[^}]*)?\}/g)];
    const needed = placeholders.filter(([, , otherwise]) => otherwise === undefined).map(([, name]) => name);
    expect(Object.keys(services.proxy.environment!).sort()).toEqual(needed.sort());
    expect(placeholders.map(([text]) => text)).toEqual(
      expect.arrayContaining(['{$PORT:8080}', '{$HOST:0.0.0.0}']),
    );
  });

  it('knows every copy by the name that Compose gives its container', () => {
    for (const name of ['command', 'query'] as const) {
      const upstreams = filledIn(services.proxy.environment![`${name.toUpperCase()}_UPSTREAMS`]);
      const containers = Array.from(
        { length: replicas[name] },
        (_, copy) => `practice-management-${name}-${copy + 1}`,
      );
      expect(upstreams.split(' ')).toEqual(containers.map((container) => `${container}:8080`));
    }
  });
});

describe('the image', () => {
  const stages = dockerfile.split(/^(?=FROM )/m);
  const last = stages.at(-1)!;

  it('is built in stages, with a version of Node that the service supports', () => {
    expect(stages.map((stage) => stage.split('\n')[0])).toEqual([
      'FROM node:20-bookworm-slim AS build',
      'FROM node:20-bookworm-slim AS packages',
      'FROM node:20-bookworm-slim',
    ]);
    expect(last).not.toMatch(/^RUN /m);
  });

  it('runs as an unprivileged user, who owns nothing', () => {
    const lines = last.split('\n');
    expect(lines.indexOf('USER node')).toBeGreaterThan(
      lines.findLastIndex((line) => line.startsWith('COPY')),
    );
    expect(last).not.toContain('--chown');
  });

  it.each(['command', 'query', 'projector', 'worker'] as const)(
    'starts %s with the flags of package.json',
    (name) => {
      const entry = JSON.parse(/^ENTRYPOINT (.*)$/m.exec(last)![1]) as string[];
      const given = [...entry.slice(1), ...services[name].command!.slice(0, -1)];
      // Of repeated flags, the last one counts.
      const named = (flags: string[]) => Object.fromEntries(flags.map((flag) => flag.split('=')));
      expect(named(given)).toEqual(named(nodeFlags(name)));
    },
  );

  it('starts Node itself, so that signals reach it', () => {
    expect(last).toMatch(/^ENTRYPOINT \["node", /m);
    expect(last).toMatch(/^CMD \["dist\/apps\/command\/main.js"\]$/m);
  });
});
