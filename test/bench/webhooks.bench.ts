/**
 * Deliveries of one worker to twenty webhooks of a receiver on the same machine that answers at once, compared with a
 * bare loop of undici POSTs with the same body and the same concurrency; the time from an event to the receiver's
 * socket at 100 events a second; and how one receiver that hangs, refuses connections or answers 500 affects the other
 * nineteen.
 * An event's time is when it was decided, before it was committed, so the figures include the append.
 * Arguments: deliveries of a round, seconds of a measurement of the time.
 */
import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { migrate } from '#platform/database/migrate';
import { packageRoot } from '#platform/package-root';
import { ApiClient, type Json, requestToken } from '../support/client';
import { execute } from '../support/database';
import { nodeFlags, startDeployed } from '../support/deployed';
import { freePort, type RunningApp, startProcess } from '../support/process';
import { argument } from './support/argument';
import { startBenchServer } from './support/bench-server';
import { createTenants, openFirm, someWork } from './support/firm';
import { HookBench } from './support/hook-bench';
import { Poster } from './support/open-loop';
import { median, report } from './support/rounds';
import { percentile } from './support/visibility';

const WEBHOOKS = 20;
const CONCURRENCY = 5 * WEBHOOKS;
const ROUNDS = 5;

/**
 * Quantiles of all addresses together, as the receiver sees them. The greatest p99 of a single address would rest on
 * one sample.
 */
function quantiles(lags: number[][]) {
  const all = lags.flat();
  return { p50: percentile(all, 0.5), p99: percentile(all, 0.99) };
}

/** Medians over the rounds. A change compares figures of the same round. */
function besideFigures({ well, ...dead }: Record<string, { p50: number; p99: number }[]>) {
  const figures: Record<string, number> = {
    'nineteen of twenty, p50 ms': median(well.map(({ p50 }) => p50)),
    'nineteen of twenty, p99 ms': median(well.map(({ p99 }) => p99)),
  };
  for (const [how, rounds] of Object.entries(dead)) {
    figures[`the same beside one that ${how}, p99 ms`] = median(rounds.map(({ p99 }) => p99));
    figures[`their p99 beside one that ${how}, change in %`] = median(
      rounds.map(({ p99 }, round) => (p99 / well[round].p99 - 1) * 100),
    );
  }
  return figures;
}

async function main(): Promise<void> {
  const deliveries = argument(1, 'deliveries', 20_000);
  const seconds = argument(2, 'seconds', 20);
  const server = await startBenchServer();
  const closing: (() => unknown)[] = [];
  const start = async (starting: Promise<RunningApp>) => {
    const app = await starting;
    closing.push(() => app.stop());
    return app;
  };
  try {
    await execute(server.url('postgres'), 'create database hooks');
    const env = {
      DATABASE_URL: server.url('hooks'),
      SECRETS_KEY: randomBytes(32).toString('base64'),
      LOG_LEVEL: 'warn',
      WEBHOOKS_ALLOW_INSECURE: 'true',
    };
    await migrate(env.DATABASE_URL, 'write');
    await migrate(env.DATABASE_URL, 'read');
    const credentials = await createTenants(env, ['bench']);
    const sink = await start(
      startProcess(join(packageRoot(), 'dist/test/bench/support/hook-sink.js'), {}, nodeFlags('command')),
    );
    const command = await start(startDeployed('command', env));
    await start(startDeployed('projector', env));
    await start(startDeployed('worker', env));
    const token = (await requestToken(command.baseUrl, credentials)).body.access_token as string;
    const firm = await openFirm(command.baseUrl, 'bench', token, { employees: 1, matters: 1 });
    const query = await start(startDeployed('query', env));
    const api = new ApiClient('bench', token, { writes: command.baseUrl, reads: query.baseUrl });
    const poster = new Poster(token);
    closing.push(() => poster.close());
    const bench = new HookBench(
      sink,
      api,
      poster,
      `${command.baseUrl}/bench/api/v1/workitems`,
      someWork(firm),
      CONCURRENCY,
    );
    closing.push(() => bench.close());

    const numbers = Array.from({ length: WEBHOOKS }, (_, number) => number);
    const ids = await bench.hooks(numbers.map((number) => `rate/${number}`));
    const events = Math.round(deliveries / WEBHOOKS);
    const body = JSON.stringify({ text: 'x'.repeat(await bodySize(api)) });
    const rates: { ours: number[]; bare: number[] } = { ours: [], bare: [] };
    await bench.ours(ids, events, env.DATABASE_URL);
    await bench.bare(body, events * WEBHOOKS);
    for (let round = 0; round < ROUNDS; round++) {
      rates.ours.push(await bench.ours(ids, events, env.DATABASE_URL));
      rates.bare.push(await bench.bare(body, events * WEBHOOKS));
      process.stderr.write(
        `ours ${Math.round(rates.ours.at(-1)!)}/s, bare ${Math.round(rates.bare.at(-1)!)}/s\n`,
      );
    }
    await bench.remove(ids);

    const [one] = await bench.hooks(['lag/one']);
    const alone = quantiles(await bench.lags(100, seconds, ['lag/one']));
    await bench.remove([one]);

    const others = numbers.slice(1).map((number) => `lag/${number}`);
    const alive = await bench.hooks(others);
    const twentieths = {
      well: 'lag/0',
      hangs: 'hang/0',
      refuses: `http://127.0.0.1:${await freePort()}/`,
      fails: 'fail/0',
    };
    const beside: Record<string, { p50: number; p99: number }[]> = {};
    for (let round = 0; round < ROUNDS; round++) {
      for (const [how, path] of Object.entries(twentieths)) {
        const twentieth = await bench.hooks([path]);
        const lags = await bench.lags(10, seconds, others);
        (beside[how] ??= []).push(quantiles(lags));
        await bench.remove(twentieth);
      }
      const p99 = Object.entries(beside).map(([how, all]) => `${how} ${all[round].p99}`);
      process.stderr.write(`p99 of the others, ms: ${p99.join(', ')}\n`);
    }
    await bench.remove(alive);

    const [{ server_version }] = await execute<{ server_version: string }>(
      env.DATABASE_URL,
      'show server_version',
    );
    report(
      'webhooks',
      { 'vs bare undici': median(rates.ours) / median(rates.bare) },
      {
        'deliveries/s': median(rates.ours),
        'bare undici POSTs/s': median(rates.bare),
        'event to socket at 100/s, p50 ms': alone.p50,
        'event to socket at 100/s, p99 ms': alone.p99,
        ...besideFigures(beside),
      },
      server_version,
    );
  } finally {
    for (const close of closing.reverse()) await close();
    await server.stop();
  }
}

/** The number of characters of a message about a work item. */
async function bodySize(api: ApiClient): Promise<number> {
  const types = await api.rows('webhooks/eventtypes', { pageSize: 200 });
  return JSON.stringify(types.find(({ name }: Json) => name === 'workitem.created').example).length;
}

main().catch((error) => {
  console.error(error);
  process.exitCode = 1;
});
