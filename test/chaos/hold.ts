import { Client } from 'pg';

/**
 * A lock on something that another session will need, in a transaction that stays open until it is rolled back or
 * committed.
 */
export class Hold {
  private constructor(
    private readonly client: Client,
    /** Process id of its database session. */
    readonly pid: number,
  ) {}

  /** @param sql the statement that takes the lock */
  static async take(url: string, sql: string, values: unknown[]): Promise<Hold> {
    const client = new Client(url);
    client.on('error', () => undefined); // the server may be killed
    await client.connect();
    try {
      const { rows } = await client.query<{ pid: number }>('select pg_backend_pid() as pid');
      await client.query('begin');
      const { rowCount } = await client.query(sql, values);
      if (rowCount === 0) throw new Error(`There is nothing to be held by ${sql}`);
      return new Hold(client, rows[0].pid);
    } catch (error) {
      await client.end();
      throw error;
    }
  }

  /** Rolls back. After a crash of the server there is nothing to roll back. */
  async letGo(): Promise<void> {
    await this.client.query('rollback').catch(() => undefined);
    await this.client.end();
  }

  /** Ends the transaction and keeps its changes. */
  async commit(): Promise<void> {
    await this.client.query('commit');
    await this.client.end();
  }
}
