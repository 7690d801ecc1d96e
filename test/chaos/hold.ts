import { Client } from 'pg';

/** A lock on something that somebody comes to need, in a transaction that lasts until it is let go. */
export class Hold {
  private constructor(
    private readonly client: Client,
    /** Of its session in the database. */
    readonly pid: number,
  ) {}

  /** @param sql what locks it */
  static async take(url: string, sql: string, values: unknown[]): Promise<Hold> {
    const client = new Client(url);
    client.on('error', () => undefined); // the server may die under it
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

  /** Undoes what it has changed; after a crash of the server there is nothing to undo. */
  async letGo(): Promise<void> {
    await this.client.query('rollback').catch(() => undefined);
    await this.client.end();
  }

  /** Keeps what it has changed. */
  async commit(): Promise<void> {
    await this.client.query('commit');
    await this.client.end();
  }
}
