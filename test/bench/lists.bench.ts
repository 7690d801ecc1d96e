/**
 * Page 1 of every list of a tenant with 100,000 records of each kind, beside another tenant with a tenth of that: over
 * HTTP through the process query, with token and rate limit, one request after another. Each list is asked for its own
 * order, each order, each filter with common and rare values, keywords that are common, usual, rare, several, and of no
 * record, and for what changed; each answer is compared once with that of the simplest SQL. Questions that take more
 * than 10 ms are named above the table. Arguments: records of each kind, rounds.
 */
import { randomBytes } from 'node:crypto';
import { toUuid } from '#kernel/ids';
import type { ListQuery } from '#platform/http/list-query';
import { migrate } from '#platform/migrate';
import type { RequestContext } from '#platform/request-context';
import { changedAt, fillLists } from '#practice/testing/full-lists';
import { type ListCase, listCases } from '#practice/testing/list-cases';
import { listFor, plainList } from '#practice/testing/plain-list';
import { requestToken } from '../support/client';
import { execute } from '../support/database';
import { type RunningApp, startApp } from '../support/process';
import { contextFor, openStore } from '../support/store';
import { startBenchServer } from './support/bench-server';
import { createTenants } from './support/firm';
import { Getter } from './support/getter';
import { report } from './support/rounds';
import { percentile } from './support/visibility';

/** As package.json and the image start every process. */
const NODE_OPTIONS = '--max-semi-space-size=64';
const PAGE = 50;

type Store = ReturnType<typeof openStore>;

function questionsOf({ list, filters, keywords }: ListCase, rows: number): ListQuery[] {
  return [
    ...[{}, { updatedSince: '2026-02-01' }, { changedAfter: changedAt(BigInt(rows / 2)) }],
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
  for (let round = 0; round < rounds; round++) {
    for (const { url, times } of questions) times.push((await getter.get(url)).ms);
  }
  for (const { query, times } of questions) {
    const p50 = percentile(times, 0.5);
    if (p50 > 10) process.stderr.write(`${one.path} ${JSON.stringify(query)}: p50 ${p50.toFixed(1)} ms\n`);
  }
  return questions.flatMap(({ times }) => times);
}

async function main(): Promise<void> {
  const rows = Number(process.argv[2] ?? 100_000);
  const rounds = Number(process.argv[3] ?? 20);
  const server = await startBenchServer();
  const closing: (() => unknown)[] = [() => server.stop()];
  try {
    await execute(server.url('postgres'), 'create database lists');
    const env = {
      DATABASE_URL: server.url('lists'),
      SECRETS_KEY: randomBytes(32).toString('base64'),
      LOG_LEVEL: 'warn',
    };
    await migrate(env.DATABASE_URL, 'write');
    await migrate(env.DATABASE_URL, 'read');
    const credentials = await createTenants(env, ['lists', 'others']);
    const store = openStore(env.DATABASE_URL, []);
    closing.unshift(() => store.close());
    const { rows: tenants } = await store.writes.pool.query(
      'select id, alias, partition, stream_id as "streamId" from platform.tenants order by id',
    );
    const context = contextFor(tenants[0]);
    const filling = await store.reads.session();
    await fillLists(filling, tenants[1].id, rows / 10);
    await fillLists(filling, context.tenant.id, rows);
    await filling.query('vacuum analyze');
    await filling.query('checkpoint');
    await filling.end();

    const query: RunningApp = await startApp('query', { ...env, NODE_OPTIONS });
    closing.unshift(() => query.stop());
    const command = await startApp('command', env);
    const token = (await requestToken(command.baseUrl, credentials)).body.access_token as string;
    await command.stop();
    const getter = new Getter(token);
    closing.unshift(() => getter.close());

    const figures: Record<string, number> = {};
    for (const one of listCases(context.tenant.id)) {
      const address = (path: string) => `${query.baseUrl}/lists/api/v1/${path}`;
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
