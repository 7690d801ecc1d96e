import { Client } from 'pg';
import { hangUp, SHORT_STATEMENTS } from '#platform/database';

/**
 * Ownership of partitions by session locks: whoever holds the lock consumes; when its session ends, however it
 * ends, another takes over. The checkpoint's compare-and-swap is what protects the rows; this keeps the peace.
 */
export class PartitionLocks {
  private client?: Client;
  private owned = new Set<number>();

  constructor(
    private readonly url: string,
    private readonly subscriber: string,
    private readonly lost: () => void,
  ) {}

  get partitions(): number[] {
    return [...this.owned].sort((a, b) => a - b);
  }

  /** Takes every partition that nobody holds. @throws when the session does not answer; the next is another */
  async take(): Promise<void> {
    const client = await this.session();
    const locked = client.query<{ partition: number; mine: boolean }>(
      `select p as partition, pg_try_advisory_lock(hashtext('partitions of ' || $1), p) as mine
       from generate_series(0, (select partitions - 1 from platform.installation)) p where p <> all($2::int[])`,
      [this.subscriber, this.partitions],
    );
    const { rows } = await locked.catch((error: Error) => {
      this.drop(client);
      void client.end();
      throw error;
    });
    for (const { partition, mine } of rows) if (mine) this.owned.add(partition);
  }

  async release(): Promise<void> {
    const { client } = this;
    this.client = undefined;
    this.owned.clear();
    if (client) await hangUp(client);
  }

  private async session(): Promise<Client> {
    if (this.client) return this.client;
    const client = new Client({
      connectionString: this.url,
      application_name: `practice ${this.subscriber} locks ${process.pid}`,
      ...SHORT_STATEMENTS,
    });
    client.on('error', () => this.drop(client));
    client.on('end', () => this.drop(client));
    await client.connect();
    this.client = client;
    return client;
  }

  private drop(client: Client): void {
    if (this.client !== client) return;
    this.client = undefined;
    this.owned.clear();
    this.lost();
  }
}
