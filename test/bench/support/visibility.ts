import { setTimeout as delay } from 'node:timers/promises';
import { Client } from 'pg';

const PATIENCE_MS = 60_000;

/** Looks for new work items as a reader does: on one connection, by key, in the live generation. */
export class Visibility {
  private readonly missing = new Map<string, { tenant: number; since: number }>();
  private lags: number[] = [];
  private readonly running: Promise<void>;
  private stopping = false;
  private failure?: Error;

  private constructor(private readonly client: Client) {
    this.running = this.poll();
  }

  static async watch(url: string): Promise<Visibility> {
    const client = new Client(url);
    await client.connect();
    return new Visibility(client);
  }

  /** Expects an item that was acknowledged at the given time (performance.now()). */
  expect(tenant: number, id: string, since: number): void {
    this.missing.set(id, { tenant, since });
  }

  /** Waits until all expected items were seen. @returns milliseconds from acknowledgement to sight, and forgets them */
  async all(): Promise<number[]> {
    const end = performance.now() + PATIENCE_MS;
    while (this.missing.size > 0) {
      if (this.failure) throw this.failure;
      if (performance.now() > end) throw new Error(`${this.missing.size} writes are not visible`);
      await delay(10);
    }
    const { lags } = this;
    this.lags = [];
    return lags;
  }

  async stop(): Promise<void> {
    this.stopping = true;
    await this.running;
    await this.client.end();
  }

  private async poll(): Promise<void> {
    try {
      while (!this.stopping) {
        if (this.missing.size > 0) await this.look();
        await delay(1);
      }
    } catch (error) {
      this.failure = error as Error;
    }
  }

  private async look(): Promise<void> {
    const { rows } = await this.client.query<{ id: string }>({
      name: 'visible',
      text: `select a.id from unnest($1::int[], $2::uuid[]) a(tenant, id)
        join read_model.work_items w on w.tenant_id = a.tenant and w.id = a.id
          and w.generation = read_model.live_generation('work-items', a.tenant)`,
      values: [[...this.missing.values()].map(({ tenant }) => tenant), [...this.missing.keys()]],
    });
    const now = performance.now();
    for (const { id } of rows) {
      this.lags.push(now - this.missing.get(id)!.since);
      this.missing.delete(id);
    }
  }
}

/** The smallest value that is at least as great as the given part of all values. */
export function percentile(values: number[], part: number): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.max(0, Math.ceil(part * sorted.length) - 1)];
}
