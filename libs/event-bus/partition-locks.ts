import { Client } from 'pg';
import { connectionTo, hangUp, SHORT_STATEMENTS } from '#platform/database/connection';
import { SILENCE_MS } from '#platform/database/sign-of-life';

/**
 * Ownership of partitions by session-level advisory locks: the process that holds a partition's lock consumes it; when its
 * session ends, for whatever reason, another process takes over. The checkpoint's compare-and-swap protects the rows; the
 * locks only avoid contention.
 */
export class PartitionLocks {
  private client?: Client;
  private heartbeat?: NodeJS.Timeout;
  private asked: Promise<unknown> = Promise.resolve();
  private owned = new Set<number>();

  constructor(
    private readonly url: string,
    private readonly subscriber: string,
    private readonly lost: () => void,
    /** A frozen process keeps its connections. After this time without a query the server ends the session. */
    private readonly silenceMs = SILENCE_MS,
  ) {}

  get partitions(): number[] {
    return [...this.owned].sort((a, b) => a - b);
  }

  /** Locks every free partition. @throws when the session does not answer; the next call opens another session */
  async take(): Promise<void> {
    const client = await this.session();
    const { rows } = await this.ask<{ partition: number; mine: boolean }>(
      client,
      `select p as partition, pg_try_advisory_lock(hashtext('partitions of ' || $1), p) as mine
       from generate_series(0, (select partitions - 1 from platform.installation)) p where p <> all($2::int[])`,
      [this.subscriber, this.partitions],
    );
    for (const { partition, mine } of rows) if (mine) this.owned.add(partition);
  }

  async release(): Promise<void> {
    const { client } = this;
    this.client = undefined;
    this.owned.clear();
    clearInterval(this.heartbeat);
    if (client) await hangUp(client);
  }

  private async session(): Promise<Client> {
    if (this.client) return this.client;
    const client = new Client({
      ...connectionTo(this.url, `-c idle_session_timeout=${this.silenceMs}`),
      application_name: `practice ${this.subscriber} locks ${process.pid}`,
      ...SHORT_STATEMENTS,
    });
    client.on('error', () => this.drop(client));
    client.on('end', () => this.drop(client));
    await client.connect();
    this.client = client;
    // A timer of its own: a batch may take long, and a consumer that stopped at a gap must keep its partitions.
    const beat = () => this.ask(client, 'select').catch(() => undefined);
    this.heartbeat = setInterval(beat, this.silenceMs / 5).unref();
    return client;
  }

  /** Runs one query at a time. A session that does not answer is given up. */
  private ask<Row extends object>(client: Client, sql: string, values?: unknown[]) {
    const asked = this.asked.then(() => client.query<Row>(sql, values));
    const answered = asked.catch((error: Error) => {
      this.drop(client);
      void client.end();
      throw error;
    });
    this.asked = answered.catch(() => undefined);
    return answered;
  }

  private drop(client: Client): void {
    if (this.client !== client) return;
    this.client = undefined;
    this.owned.clear();
    clearInterval(this.heartbeat);
    this.lost();
  }
}
