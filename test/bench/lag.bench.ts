/**
 * Time from the answer to a write until a reader sees it in the read model. 500 new work items a second at fixed times,
 * over HTTP, for four tenants, through the processes command and projector, with 200,000 earlier events in the store.
 * Then the same with a projector that takes the events from Kafka, whose broker also runs on this machine, and once
 * more from the store while the read model of work items is rebuilt again and again.
 * A reader on one connection asks by key, about every millisecond, for the items that were acknowledged and not yet
 * seen. An item counts as visible when the answer that holds it has arrived. So a figure is too large by up to one poll
 * (a millisecond and a query); an item that was visible before its write was answered takes no longer than that.
 * Arguments: seconds of a measurement, weeks of earlier events.
 */
import { randomBytes } from 'node:crypto';
import { toUuid } from '#kernel/ids';
import { migrate } from '#platform/database/migrate';
import { requestToken } from '../support/client';
import { execute } from '../support/database';
import { startDeployed } from '../support/deployed';
import { startBroker, uniqueTopic } from '../support/kafka/broker';
import type { RunningApp } from '../support/process';
import { waitFor } from '../support/wait-for';
import { argument } from './support/argument';
import { startBenchServer } from './support/bench-server';
import { cli, createTenants, type Firm, openFirm, someWork } from './support/firm';
import { loadWorkItems } from './support/load-work-items';
import { openLoop, Poster } from './support/open-loop';
import { report } from './support/rounds';
import { percentile, Visibility } from './support/visibility';
import { EVENTS_AN_ITEM, weekOf } from './support/work-item-lives';

const RATE = 500;
const WARM_UP_SECONDS = 5;
const TENANTS = ['bench1', 'bench2', 'bench3', 'bench4'];
const ITEMS_A_WEEK = 8_000;

interface Target extends Firm {
  tenant: number;
  url: string;
}

interface Measured {
  p50: number;
  p99: number;
  /** Writes a second, from the first request to the last answer. */
  rate: number;
}

async function measure(
  targets: Target[],
  poster: Poster,
  visibility: Visibility,
  seconds: number,
): Promise<Measured> {
  const began = performance.now();
  let last = began;
  await openLoop(RATE, seconds, async (number) => {
    const target = targets[number % targets.length];
    const { tenant, url } = target;
    const { status, body, at } = await poster.post(url, someWork(target, number));
    if (status !== 201) throw new Error(`POST ${url} answered ${status}: ${body}`);
    last = Math.max(last, at);
    visibility.expect(tenant, toUuid(JSON.parse(body).data.id), at);
  });
  const lags = await visibility.all();
  if (lags.length !== RATE * seconds) throw new Error(`${lags.length} of ${RATE * seconds} writes were seen`);
  return {
    p50: percentile(lags, 0.5),
    p99: percentile(lags, 0.99),
    rate: lags.length / ((last - began) / 1000),
  };
}

/** Rebuilds again and again while other work is in progress. @returns its result and the number of rebuilds */
async function whileRebuilding<Result>(
  env: Record<string, string>,
  underWay: Promise<Result>,
): Promise<{ result: Result; rebuilds: number }> {
  let over = false;
  const ended = underWay.finally(() => {
    over = true;
  });
  const loop = async () => {
    let rebuilds = 0;
    while (!over) {
      await cli(env, 'projections', 'rebuild', 'work-items');
      rebuilds++;
    }
    return rebuilds;
  };
  const [result, rebuilds] = await Promise.all([ended, loop()]);
  return { result, rebuilds };
}

/** The numbers of rows and events of the live read model. */
async function rows(url: string): Promise<{ items: number; events: number }> {
  const [{ items, events }] = await execute<{ items: string; events: string }>(
    url,
    `select count(*) as items, coalesce(sum(version), 0) as events from read_model.work_items
     where generation = read_model.live_generation('work-items', tenant_id)`,
  );
  return { items: Number(items), events: Number(events) };
}

/** Measures through Kafka, with a projector of its own, which also publishes. */
async function throughKafka(env: Record<string, string>, run: () => Promise<Measured>): Promise<Measured> {
  const broker = await startBroker();
  try {
    const kafka = { EVENT_BUS: 'kafka', KAFKA_BROKERS: broker.brokers, KAFKA_TOPIC: uniqueTopic() };
    const projector = await startDeployed('projector', { ...env, ...kafka });
    try {
      // The metric has a value per partition once there is a publisher. Without values the maximum is below 0.
      const lag = async () => Math.max(...(await metric(projector, 'event_bus_publish_lag_seconds')));
      await waitFor(async () => (await lag()) === 0, {
        timeoutMs: 600_000,
        description: 'the earlier events to be published',
      });
      const measured = await run();
      const [fromStore] = await metric(projector, 'event_bus_events_total', 'source="store"');
      if (fromStore > 0) console.log(`${fromStore} events were read from the store`);
      return measured;
    } finally {
      await projector.stop();
    }
  } finally {
    await broker.stop();
  }
}

/** The values of a metric, optionally only those with a label. */
async function metric({ baseUrl }: RunningApp, name: string, label = ''): Promise<number[]> {
  const text = await (await fetch(`${baseUrl}/metrics`)).text();
  const lines = text.split('\n').filter((line) => line.startsWith(`${name}{`) && line.includes(label));
  return lines.map((line) => Number(line.slice(line.lastIndexOf(' '))));
}

async function openTargets(env: Record<string, string>, command: RunningApp, token: string) {
  const targets: Target[] = [];
  for (const alias of TENANTS) {
    const [{ id }] = await execute<{ id: number }>(
      env.DATABASE_URL,
      'select id from platform.tenants where alias = $1',
      [alias],
    );
    const firm = await openFirm(command.baseUrl, alias, token, { employees: 5, matters: 40 });
    targets.push({ ...firm, tenant: id, url: `${command.baseUrl}/${alias}/api/v1/workitems` });
  }
  return targets;
}

async function main(): Promise<void> {
  const seconds = argument(1, 'seconds', 60);
  const weeks = argument(2, 'weeks', 10);
  const server = await startBenchServer();
  const closing: (() => unknown)[] = [];
  try {
    await execute(server.url('postgres'), 'create database lag');
    const env = {
      DATABASE_URL: server.url('lag'),
      SECRETS_KEY: randomBytes(32).toString('base64'),
      LOG_LEVEL: 'warn',
    };
    await migrate(env.DATABASE_URL, 'write');
    await migrate(env.DATABASE_URL, 'read');
    const credentials = await createTenants(env, TENANTS);
    const command = await startDeployed('command', env);
    closing.push(() => command.stop());
    let projector = await startDeployed('projector', env);
    closing.push(() => projector.stop());
    const token = (await requestToken(command.baseUrl, credentials)).body.access_token as string;
    const targets = await openTargets(env, command, token);

    const earlier = { items: weeks * ITEMS_A_WEEK, events: weeks * ITEMS_A_WEEK * EVENTS_AN_ITEM };
    const load = Array.from({ length: weeks }, (_, number) => weekOf(number, ITEMS_A_WEEK, targets[0]));
    await loadWorkItems(env.DATABASE_URL, TENANTS[0], load);
    await waitFor(async () => (await rows(env.DATABASE_URL)).events === earlier.events, {
      timeoutMs: 600_000,
      description: 'the earlier events to be in the read model',
    });
    await execute(env.DATABASE_URL, 'vacuum analyze');
    await execute(env.DATABASE_URL, 'checkpoint');

    const poster = new Poster(token);
    closing.push(() => poster.close());
    const visibility = await Visibility.watch(env.DATABASE_URL);
    closing.push(() => visibility.stop());
    const warmAndMeasure = async () => {
      await measure(targets, poster, visibility, WARM_UP_SECONDS);
      return measure(targets, poster, visibility, seconds);
    };
    const alone = await warmAndMeasure();
    await projector.stop();
    const kafka = await throughKafka(env, warmAndMeasure);
    projector = await startDeployed('projector', env);
    const { result: beside, rebuilds } = await whileRebuilding(
      env,
      measure(targets, poster, visibility, seconds),
    );
    const { items } = await rows(env.DATABASE_URL);
    const written = RATE * (2 * WARM_UP_SECONDS + 3 * seconds);
    if (items !== earlier.items + written)
      throw new Error(`${items} rows of ${earlier.items} earlier items and ${written} writes`);

    const [{ server_version }] = await execute<{ server_version: string }>(
      env.DATABASE_URL,
      'show server_version',
    );
    report(
      'lag',
      {},
      {
        'store p50 ms': alone.p50,
        'store p99 ms': alone.p99,
        'store writes/s': alone.rate,
        'kafka p50 ms': kafka.p50,
        'kafka p99 ms': kafka.p99,
        'kafka writes/s': kafka.rate,
        'store during rebuild p50 ms': beside.p50,
        'store during rebuild p99 ms': beside.p99,
        'store during rebuild writes/s': beside.rate,
        rebuilds,
      },
      server_version,
    );
  } finally {
    for (const close of closing.reverse()) await close();
    await server.stop();
  }
}

main().catch((error) => {
  console.error(error);
  process.exitCode = 1;
});
