/**
 * Deliveries of one worker to twenty webhooks of a receiver on the same machine that answers at once, beside a bare loop
 * of undici POSTs with the same body and the same concurrency; the time from an event to the receiver's socket at 100
 * events a second; and what one receiver that never answers does to the others of twenty.
 * An event's time is when it was decided, before it was committed: the figures hold the append too.
 * Arguments: deliveries of a round, seconds of a measurement of the time.
 */
import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { Pool } from 'undici';
import { migrate } from '#platform/migrate';
import { packageRoot } from '#platform/package-root';
import { ApiClient, type Json, requestToken } from '../support/client';
import { execute } from '../support/database';
import { type RunningApp, startApp, startProcess } from '../support/process';
import { waitFor } from '../support/wait-for';
import { startBenchServer } from './support/bench-server';
import { createTenants, openFirm } from './support/firm';
import { openLoop, Poster } from './support/open-loop';
import { median, report } from './support/rounds';
import { percentile } from './support/visibility';

const WEBHOOKS = 20;
const CONCURRENCY = 5 * WEBHOOKS;
const ROUNDS = 3;
const WARM_UP_SECONDS = 2;
/** As package.json and the image start every process. */
const NODE_OPTIONS = '--max-semi-space-size=64';

interface Figures {
  count: number;
  ms: number;
  lags: Record<string, number[]>;
}

class Bench {
  private readonly pool: Pool;

  constructor(
    private readonly sink: RunningApp,
    private readonly api: ApiClient,
    private readonly poster: Poster,
    private readonly url: string,
    private readonly item: object,
  ) {
    this.pool = new Pool(sink.baseUrl, { connections: CONCURRENCY });
  }

  close(): Promise<void> {
    return this.pool.close();
  }

  async figures(): Promise<Figures> {
    return (await fetch(`${this.sink.baseUrl}/figures`)).json() as Promise<Figures>;
  }

  async hooks(paths: string[]): Promise<string[]> {
    const made = paths.map((path) => ({ url: `${this.sink.baseUrl}/${path}`, events: ['workitem.created'] }));
    const ids: string[] = [];
    for (const body of made) ids.push(await this.api.create('webhooks', body));
    return ids;
  }

  async remove(ids: string[]): Promise<void> {
    for (const id of ids) await this.api.data('DELETE', `webhooks/${id}`);
  }

  async events(rate: number, seconds: number): Promise<void> {
    await openLoop(rate, seconds, async () => {
      const { status, body } = await this.poster.post(this.url, this.item);
      if (status !== 201) throw new Error(`POST ${this.url} answered ${status}: ${body}`);
    });
  }

  /** Queues so many deliveries for paused webhooks, and resumes them; deliveries a second, from the first to the last. */
  async ours(ids: string[], events: number, databaseUrl: string): Promise<number> {
    for (const id of ids) await this.api.data('POST', `webhooks/${id}/pause`);
    await this.events(250, events / 250);
    const queued = async () =>
      (
        await execute<{ n: number }>(
          databaseUrl,
          'select count(*)::int as n from webhooks.deliveries where state = 0',
        )
      )[0].n;
    await waitFor(async () => (await queued()) === events * ids.length, { description: 'all to be queued' });
    await this.figures();
    await Promise.all(ids.map((id) => this.api.data('POST', `webhooks/${id}/resume`)));
    await waitFor(async () => (await queued()) === 0, { description: 'all to be delivered' });
    const { count, ms } = await this.figures();
    if (count !== events * ids.length) throw new Error(`${count} of ${events * ids.length} deliveries came`);
    return (count / ms) * 1000;
  }

  async bare(body: string, posts: number): Promise<number> {
    await this.figures();
    let begun = 0;
    await Promise.all(
      Array.from({ length: CONCURRENCY }, async () => {
        while (begun < posts) {
          begun++;
          const headers = { 'content-type': 'application/json' };
          const answer = await this.pool.request({ path: '/bare', method: 'POST', headers, body });
          await answer.body.dump();
        }
      }),
    );
    const { count, ms } = await this.figures();
    if (count !== posts) throw new Error(`${count} of ${posts} posts came`);
    return (count / ms) * 1000;
  }

  /** Milliseconds from event to socket, by address, of so many addresses. */
  async lags(rate: number, seconds: number, addresses: number): Promise<Record<string, number[]>> {
    await this.events(rate, WARM_UP_SECONDS);
    await this.collected(rate * WARM_UP_SECONDS, addresses);
    await this.events(rate, seconds);
    return this.collected(rate * seconds, addresses);
  }

  /** What comes until each address has had so many. */
  private async collected(each: number, addresses: number): Promise<Record<string, number[]>> {
    const all: Record<string, number[]> = {};
    const enough = () => Object.values(all).filter(({ length }) => length >= each).length === addresses;
    await waitFor(
      async () => {
        for (const [path, lags] of Object.entries((await this.figures()).lags))
          (all[path] ??= []).push(...lags);
        return enough();
      },
      { description: 'all messages to come' },
    );
    return all;
  }
}

/** The greatest of the p99 of each address would be one sample's; that of all together is what a receiver sees. */
function quantiles(lags: Record<string, number[]>, path = '') {
  const all = Object.entries(lags).flatMap(([key, values]) => (key.startsWith(path) ? values : []));
  return { p50: percentile(all, 0.5), p99: percentile(all, 0.99) };
}

async function main(): Promise<void> {
  const deliveries = Number(process.argv[2] ?? 20_000);
  const seconds = Number(process.argv[3] ?? 20);
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
      NODE_OPTIONS,
    };
    await migrate(env.DATABASE_URL, 'write');
    await migrate(env.DATABASE_URL, 'read');
    const credentials = await createTenants(env, ['bench']);
    const sink = await start(
      startProcess(join(packageRoot(), 'dist/test/bench/support/hook-sink.js'), { NODE_OPTIONS }),
    );
    const command = await start(startApp('command', env));
    await start(startApp('projector', env));
    await start(startApp('worker', env));
    const token = (await requestToken(command.baseUrl, credentials)).body.access_token as string;
    const firm = await openFirm(command.baseUrl, 'bench', token, { employees: 1, matters: 1 });
    const query = await start(startApp('query', env));
    const api = new ApiClient('bench', token, { writes: command.baseUrl, reads: query.baseUrl });
    const poster = new Poster(token);
    closing.push(() => poster.close());
    const bench = new Bench(sink, api, poster, `${command.baseUrl}/bench/api/v1/workitems`, {
      matterId: firm.matterIds[0],
      employeeId: firm.employeeIds[0],
      itemType: 0,
      entryDate: '2025-06-16T09:30:00Z',
      durationTicks: 21_600_000_000,
      units: 6,
      rate: { Amount: 250, Currency: 'GBP' },
      title: 'Reading the draft lease and writing to the landlord about the repairing covenants',
    });
    closing.push(() => bench.close());

    const numbers = Array.from({ length: WEBHOOKS }, (_, number) => number);
    const ids = await bench.hooks(numbers.map((number) => `rate/${number}`));
    const events = Math.round(deliveries / WEBHOOKS);
    const body = JSON.stringify({ text: 'x'.repeat(await bodySize(api)) });
    const rates: { ours: number[]; bare: number[] } = { ours: [], bare: [] };
    await bench.bare(body, deliveries / 4);
    for (let round = 0; round < ROUNDS; round++) {
      rates.ours.push(await bench.ours(ids, events, env.DATABASE_URL));
      rates.bare.push(await bench.bare(body, events * WEBHOOKS));
      process.stderr.write(
        `ours ${Math.round(rates.ours.at(-1)!)}/s, bare ${Math.round(rates.bare.at(-1)!)}/s\n`,
      );
    }
    await bench.remove(ids);

    const [one] = await bench.hooks(['lag/one']);
    const alone = quantiles(await bench.lags(100, seconds, 1));
    await bench.remove([one]);

    const alive = await bench.hooks(numbers.slice(1).map((number) => `lag/${number}`));
    const [twentieth] = await bench.hooks(['lag/0']);
    const paths = (lags: Record<string, number[]>) =>
      Object.fromEntries(Object.entries(lags).filter(([path]) => path !== '/lag/0'));
    const well = quantiles(paths(await bench.lags(10, seconds, WEBHOOKS)));
    await bench.remove([twentieth]);
    const [dead] = await bench.hooks(['hang/0']);
    const beside = quantiles(paths(await bench.lags(10, seconds, WEBHOOKS - 1)));
    await bench.remove([dead, ...alive]);

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
        'nineteen of twenty, p50 ms': well.p50,
        'nineteen of twenty, p99 ms': well.p99,
        'the same beside one that never answers, p50 ms': beside.p50,
        'the same beside one that never answers, p99 ms': beside.p99,
      },
      server_version,
    );
  } finally {
    for (const close of closing.reverse()) await close();
    await server.stop();
  }
}

/** Characters of a message of ours about a work item. */
async function bodySize(api: ApiClient): Promise<number> {
  const types = await api.rows('webhooks/eventtypes', { pageSize: 200 });
  return JSON.stringify(types.find(({ name }: Json) => name === 'workitem.created').example).length;
}

main().catch((error) => {
  console.error(error);
  process.exitCode = 1;
});
