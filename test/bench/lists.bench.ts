/**
 * Page 1 of every list of a tenant with 100,000 records of each kind, in a database with another tenant with a tenth of
 * that and 300 tenants with sixty records each. Over HTTP through the process query, with token and rate limit, one
 * request after another. Each list is asked for its default order, each other order, each filter with common and rare
 * values, keywords (common, usual, rare, several, and without a match), and for recent changes. Each answer is compared
 * once with that of the simplest SQL. Questions that take more than 10 ms are named above the table.
 * Arguments: records of each kind, rounds. BENCH_LISTS_DIR names a folder that keeps the server's data for the next
 * run, which fills the lists again only when their rows would be different.
 */
import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Client } from 'pg';
import { toUuid } from '#kernel/ids';
import { migrate } from '#platform/database/migrate';
import type { ListQuery } from '#platform/http/input/list-query';
import { packageRoot } from '#platform/package-root';
import type { RequestContext } from '#platform/request-context';
import { changedAt, fillLists } from '#practice/testing/full-lists';
import { type ListCase, listCases } from '#practice/testing/list-cases';
import { listFor, plainList } from '#practice/testing/plain-list';
import { type Credentials, requestToken } from '../support/client';
import { execute } from '../support/database';
import { startDeployed } from '../support/deployed';
import type { RunningApp } from '../support/process';
import { contextFor, openStore } from '../support/store';
import { argument } from './support/argument';
import { type BenchServer, startBenchServer } from './support/bench-server';
import { createTenants } from './support/firm';
import { Getter } from './support/getter';
import { keptLoad } from './support/kept-load';
import { report } from './support/rounds';
import { percentile } from './support/visibility';

const PAGE = 50;
const DATABASE = 'lists';
/**
 * Rounds that are not timed: a process that has just started answers up to twice as slowly, until V8 has compiled its
 * code.
 */
const WARM_UP = 10;
/** Tenants that only fill the tables: without them, statistics and plans would fit the largest tenant alone. */
const SMALL = { firms: 300, rows: 60 };
/** The tenant whose lists are measured. */
const LARGE = 'lists';

type Store = ReturnType<typeof openStore>;

function questionsOf({ list, filters, keywords }: ListCase, rows: number): ListQuery[] {
  return [
    {},
    { updatedSince: '2026-02-01T00:00:00Z' },
    { changedAfter: changedAt(BigInt(rows / 2)) },
    ...Object.keys(list.sorts).flatMap((sort) => [{ sort }, { sort: `-${sort}` }]),
    ...filters,
    ...keywords.map((words) => ({ keywords: words })),
  ];
}

/** @throws when the answer's rows are not those that plain SQL finds */
async function check(
  store: Store,
  context: RequestContext,
  { path, list }: ListCase,
  { changedAfter, ...query }: ListQuery,
  [text, rows]: [string, number],
): Promise<void> {
  const plain = await listFor(store.reads, context, list, query);
  const after = changedAfter === undefined ? undefined : BigInt(rows / 2);
  const expected = await plainList(store.reads, context, plain, { ...query, changedAfter: after });
  const { data } = JSON.parse(text);
  const found = data.rows.map(({ id }: { id: string }) => toUuid(id));
  const right = JSON.stringify(found) === JSON.stringify(expected.slice(0, PAGE));
  if (!right || data.hasMore !== expected.length > PAGE)
    throw new Error(`${path} ${JSON.stringify(query)}: ${found.length} rows, not those of plain SQL`);
}

async function measure(
  one: ListCase,
  getter: Getter,
  address: (path: string) => string,
  checked: (query: ListQuery, text: string) => Promise<void>,
  [rows, rounds]: [number, number],
): Promise<number[]> {
  const questions = questionsOf(one, rows).map((query) => {
    const parameters = Object.entries(query).map(([name, value]): [string, string] => [name, String(value)]);
    return { query, url: `${address(one.path)}?${new URLSearchParams(parameters)}`, times: [] as number[] };
  });
  for (const { query, url } of questions) await checked(query, (await getter.get(url)).text);
  for (let round = 0; round < WARM_UP + rounds; round++) {
    for (const { url, times } of questions) {
      const { ms } = await getter.get(url);
      if (round >= WARM_UP) times.push(ms);
    }
  }
  for (const { query, times } of questions) {
    const p50 = percentile(times, 0.5);
    if (p50 > 10) process.stderr.write(`${one.path} ${JSON.stringify(query)}: p50 ${p50.toFixed(1)} ms\n`);
  }
  return questions.flatMap(({ times }) => times);
}

interface Filled {
  env: Record<'DATABASE_URL' | 'SECRETS_KEY' | 'LOG_LEVEL', string>;
  credentials: Credentials;
}

/** The lists of both tenants: filled now, or kept by the server from an earlier run. */
async function filled(server: BenchServer, rows: number): Promise<Filled> {
  const environment = (key: string) => ({
    DATABASE_URL: server.url(DATABASE),
    SECRETS_KEY: key,
    LOG_LEVEL: 'warn',
  });
  const load = async () => {
    const env = environment(randomBytes(32).toString('base64'));
    return { secretsKey: env.SECRETS_KEY, credentials: await fill(env, rows) };
  };
  const { secretsKey, credentials } = await keptLoad(server, DATABASE, { made: madeBy(rows), load });
  return { env: environment(secretsKey), credentials };
}

async function fill(env: Filled['env'], rows: number): Promise<Credentials> {
  await migrate(env.DATABASE_URL, 'write');
  await migrate(env.DATABASE_URL, 'read');
  const credentials = await createTenants(env, [LARGE, 'others']);
  const client = new Client(env.DATABASE_URL);
  await client.connect();
  const { rows: tenants } = await client.query('select id from platform.tenants order by id');
  const small = Array.from({ length: SMALL.firms }, (_, firm) => 1_000 + firm);
  await fillLists(client, small, SMALL.rows);
  await fillLists(client, [tenants[1].id], rows / 10);
  await fillLists(client, [tenants[0].id], rows);
  await client.query('vacuum analyze');
  await client.query('checkpoint');
  await client.end();
  return credentials;
}

/** Everything that determines the rows of the lists. */
function madeBy(rows: number): string {
  const sources = ['full-lists', 'full-values'].map((name) => `libs/practice/testing/${name}.ts`);
  return [
    `${rows} rows, beside ${JSON.stringify(SMALL)}`,
    ...sources.map((path) => readFileSync(join(packageRoot(), path), 'utf8')),
  ].join();
}

async function main(): Promise<void> {
  const rows = argument(1, 'rows', 100_000);
  const rounds = argument(2, 'rounds', 20);
  const server = await startBenchServer(process.env.BENCH_LISTS_DIR);
  const closing: (() => unknown)[] = [() => server.stop()];
  try {
    const { env, credentials } = await filled(server, rows);
    const store = openStore(env.DATABASE_URL, []);
    closing.unshift(() => store.close());
    const { rows: tenants } = await store.writes.pool.query(
      'select id, alias, partition, stream_id as "streamId" from platform.tenants where alias = $1',
      [LARGE],
    );
    const context = contextFor(tenants[0]);

    const query: RunningApp = await startDeployed('query', env);
    closing.unshift(() => query.stop());
    const command = await startDeployed('command', env);
    const token = (await requestToken(command.baseUrl, credentials)).body.access_token as string;
    await command.stop();
    const getter = new Getter(token);
    closing.unshift(() => getter.close());

    const figures: Record<string, number> = {};
    for (const one of listCases(context.tenant.id)) {
      const address = (path: string) => `${query.baseUrl}/${LARGE}/api/v1/${path}`;
      const checked = (asked: ListQuery, text: string) => check(store, context, one, asked, [text, rows]);
      const times = await measure(one, getter, address, checked, [rows, rounds]);
      figures[`${one.path} p50 ms`] = percentile(times, 0.5);
      figures[`${one.path} p99 ms`] = percentile(times, 0.99);
    }
    const [{ server_version }] = await execute<{ server_version: string }>(
      env.DATABASE_URL,
      'show server_version',
    );
    report('lists', {}, figures, server_version);
  } finally {
    for (const close of closing) await close();
  }
}

main().catch((error) => {
  console.error(error);
  process.exitCode = 1;
});
