import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { getMetadataStorage } from 'class-validator';
import { parse } from 'yaml';
import { Config, loadConfig } from '#platform/config';
import { packageRoot } from '#platform/package-root';

type Service = {
  image: string;
  build?: string;
  command?: string[];
  environment?: Record<string, string | number>;
  healthcheck?: { test: string[] };
  ports?: string[];
};

const text = readFileSync(join(packageRoot(), 'docker-compose.yml'), 'utf8');
const compose = parse(text, { merge: true }) as {
  services: Record<string, Service>;
  configs: { routes: { content: string } };
};
const apps = ['command', 'query', 'projector'];

/** Every variable that the processes know. */
const settings = new Set(
  getMetadataStorage()
    .getTargetValidationMetadatas(Config, '', false, false)
    .map(({ propertyName }) => propertyName),
);

/** `${NAME:-default}` and `${NAME:?message}` as Compose fills them in. */
function filledIn(value: string | number, environment: Record<string, string>): string {
  return String(value).replaceAll(/\$\{(\w+):([-?])([^}]*)\}/g, (_all, name, kind, rest) => {
    if (environment[name] === undefined && kind === '?') throw new Error(`${name} ${rest}`);
    return environment[name] ?? rest;
  });
}

it('has the processes of production, each with a health check', () => {
  expect(Object.keys(compose.services).sort()).toEqual([...apps, 'postgres', 'proxy'].sort());
  for (const { healthcheck } of Object.values(compose.services)) expect(healthcheck?.test[0]).toBe('CMD');
  for (const name of apps)
    expect(compose.services[name]).toMatchObject({ build: '.', command: [`dist/apps/${name}/main.js`] });
  expect(compose.services.postgres.command).toContain('max_locks_per_transaction=256');
});

it('gives each process an environment that it knows and starts with', () => {
  const given = { POSTGRES_PASSWORD: 'secret', SECRETS_KEY: randomBytes(32).toString('base64') };
  for (const name of apps) {
    const environment = compose.services[name].environment!;
    expect(Object.keys(environment).filter((variable) => !settings.has(variable))).toEqual([]);
    const filled = Object.fromEntries(
      Object.entries(environment).map(([variable, value]) => [variable, filledIn(value, given)]),
    );
    expect(loadConfig(filled)).toMatchObject({ NODE_ENV: 'production', HOST: '0.0.0.0', PORT: 8080 });
  }
});

it('has no secrets of its own', () => {
  const environment = compose.services.command.environment!;
  expect(() => filledIn(environment.SECRETS_KEY, {})).toThrow('SECRETS_KEY is needed');
  expect(() => filledIn(environment.DATABASE_URL, {})).toThrow('POSTGRES_PASSWORD is needed');
});

it('lets only the proxy be reached, which sends reads and reports to query and the rest to command', () => {
  const open = Object.entries(compose.services).filter(([, { ports }]) => ports);
  expect(open.map(([name, { ports }]) => [name, ports])).toEqual([['proxy', ['8080:8080']]]);
  expect(compose.configs.routes.content.trim().split('\n')).toEqual([
    ':8080',
    '@reads method GET HEAD',
    '@reports path /*/graphql',
    'respond /metrics 404',
    'reverse_proxy @reads query:8080',
    'reverse_proxy @reports query:8080',
    'reverse_proxy command:8080',
  ]);
});

it('runs as a user without rights', () => {
  const lines = readFileSync(join(packageRoot(), 'Dockerfile'), 'utf8').split('\n');
  expect(lines.lastIndexOf('USER node')).toBeGreaterThan(
    lines.findLastIndex((line) => /^(RUN|COPY)/.test(line)),
  );
});

it('is explained in the README, every setting of the processes', () => {
  const readme = readFileSync(join(packageRoot(), 'README.md'), 'utf8');
  expect([...settings].filter((name) => !readme.includes(`| \`${name}\` |`))).toEqual([]);
});
