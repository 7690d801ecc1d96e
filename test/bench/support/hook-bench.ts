import { Pool } from 'undici';
import type { ApiClient } from '../../support/client';
import { execute } from '../../support/database';
import type { RunningApp } from '../../support/process';
import { waitFor } from '../../support/wait-for';
import { openLoop, type Poster } from './open-loop';

const WARM_UP_SECONDS = 2;

interface Figures {
  count: number;
  ms: number;
  lags: Record<string, number[]>;
}

/** As large as the headers that sign a real message. */
const HEADERS = {
  'content-type': 'application/json',
  'accept-encoding': 'identity',
  'user-agent': 'practice-management-webhooks/1',
  'webhook-id': 'evt_0198c5f5a7e07b6f9d5c3b2a1f0e9d8c',
  'webhook-timestamp': '1750066200',
  'webhook-signature': 'v1,K5oZfzN95Z9UVu1EsfQmfVNQhnkZ2pj9o9NDN/H/pI4=',
  'X-PE2-REQUEST-ID': '0198c5f5-a7e0-7b6f-9d5c-3b2a1f0e9d8c',
  'X-PE2-TIMESTAMP': '2025-06-16T09:30:00.0000000Z',
  'X-PE2-TENANT-ALIAS': 'bench',
};

/** The steps of the bench, for the service and for its receiver. */
export class HookBench {
  private readonly pool: Pool;

  constructor(
    private readonly sink: RunningApp,
    private readonly api: ApiClient,
    private readonly poster: Poster,
    private readonly url: string,
    private readonly item: object,
    private readonly concurrency: number,
  ) {
    this.pool = new Pool(sink.baseUrl, { connections: concurrency });
  }

  close(): Promise<void> {
    return this.pool.close();
  }

  async figures(): Promise<Figures> {
    return (await fetch(`${this.sink.baseUrl}/figures`)).json() as Promise<Figures>;
  }

  /** The number of messages received since the figures were last read. */
  private async count(): Promise<number> {
    return (await fetch(`${this.sink.baseUrl}/count`)).json() as Promise<number>;
  }

  /** Creates a webhook for each path of the receiver or other address. */
  async hooks(paths: string[]): Promise<string[]> {
    const ids: string[] = [];
    for (const path of paths) {
      const url = URL.canParse(path) ? path : `${this.sink.baseUrl}/${path}`;
      ids.push(await this.api.create('webhooks', { url, events: ['workitem.created'] }));
    }
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

  /**
   * Queues deliveries for paused webhooks, then resumes them. @returns deliveries a second, from the first to the last
   */
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
    // Asks the receiver: counting in the database would take much of the machine from the worker.
    await waitFor(async () => (await this.count()) === events * ids.length, {
      everyMs: 250,
      timeoutMs: 120_000,
      description: 'all to be delivered',
    });
    await waitFor(async () => (await queued()) === 0, { description: 'all to be written down' });
    const { count, ms } = await this.figures();
    if (count !== events * ids.length) throw new Error(`${count} of ${events * ids.length} deliveries came`);
    return (count / ms) * 1000;
  }

  async bare(body: string, posts: number): Promise<number> {
    await this.figures();
    let begun = 0;
    await Promise.all(
      Array.from({ length: this.concurrency }, async () => {
        while (begun < posts) {
          begun++;
          const answer = await this.pool.request({ path: '/bare', method: 'POST', headers: HEADERS, body });
          await answer.body.dump();
        }
      }),
    );
    const { count, ms } = await this.figures();
    if (count !== posts) throw new Error(`${count} of ${posts} posts came`);
    return (count / ms) * 1000;
  }

  /** Milliseconds from event to socket at each of the paths. Messages to other paths are not awaited. */
  async lags(rate: number, seconds: number, paths: readonly string[]): Promise<number[][]> {
    await this.events(rate, WARM_UP_SECONDS);
    await this.collected(rate * WARM_UP_SECONDS, paths);
    await this.events(rate, seconds);
    return this.collected(rate * seconds, paths);
  }

  /** Collects lags until each path has received the given number. */
  private async collected(each: number, paths: readonly string[]): Promise<number[][]> {
    const all = new Map<string, number[]>(paths.map((path) => [`/${path}`, []]));
    await waitFor(
      async () => {
        for (const [path, lags] of Object.entries((await this.figures()).lags)) all.get(path)?.push(...lags);
        return [...all.values()].every(({ length }) => length >= each);
      },
      { description: 'all messages to come' },
    );
    return [...all.values()];
  }
}
