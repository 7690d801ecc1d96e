import { Client } from 'pg';
import { CONNECTION, hangUp, SHORT_STATEMENTS } from '#platform/database';
import { SILENCE_MS } from '#platform/database/sign-of-life';

/**
 * Ownership of partitions by session locks: whoever holds the lock consumes; when its session ends, however it
 * ends, another takes over. The checkpoint's compare-and-swap is what protects the rows; this keeps the peace.
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
    /** A process that is frozen still holds its connections: the server ends the session of one that asks for nothing so long. */
    private readonly silenceMs = SILENCE_MS,
  ) {}

  get partitions(): number[] {
    return [...this.owned].sort((a, b) => a - b);
  }

  /** Takes every partition that nobody holds. @throws when the session does not answer; the next is another */
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
      connectionString: this.url,
      application_name: `practice ${this.subscriber} locks ${process.pid}`,
      ...SHORT_STATEMENTS,
      options: `${CONNECTION.options} -c idle_session_timeout=${this.silenceMs}`,
    });
    client.on('error', () => this.drop(client));
    client.on('end', () => this.drop(client));
    await client.connect();
    this.client = client;
    // Of its own: a batch may take long, and one that stands still over a gap keeps its partitions from others.
    const beat = () => this.ask(client, 'select').catch(() => undefined);
    this.heartbeat = setInterval(beat, this.silenceMs / 5).unref();
    return client;
  }

  /** One question at a time. A session that does not answer is given up. */
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
