import { Client } from 'pg';
import { to as copyTo } from 'pg-copy-streams';
import type { Faults } from './faults';
import { type SourceColumn, sourceColumns } from './source-columns';

/** A session's own connection to PostgreSQL, opened when it is first needed. */
export class SourceClient {
  private client: Promise<Client> | undefined;

  constructor(private readonly url: string) {}

  async columns(faults: Faults): Promise<SourceColumn[]> {
    return sourceColumns(await this.connected(), faults);
  }

  /**
   * The rows of a query as COPY's text, read no faster than the caller takes them. A caller that stops early also
   * closes the connection to PostgreSQL.
   * @param value of `current_setting('tds.value')`
   */
  async *copy(sql: string, value?: string): AsyncGenerator<Buffer> {
    const client = await this.connected();
    if (value !== undefined) await client.query(`select set_config('tds.value', $1, false)`, [value]);
    const stream = client.query(copyTo(`copy (${sql}) to stdout`));
    let isComplete = false;
    try {
      for await (const chunk of stream) yield chunk;
      isComplete = true;
    } finally {
      if (!isComplete) {
        stream.on('error', () => {}); // the stream fails because it was stopped
        await this.close();
      }
    }
  }

  async close(): Promise<void> {
    const { client } = this;
    this.client = undefined;
    await client?.then(
      (one) => one.end(),
      () => {}, // it never connected
    );
  }

  private connected(): Promise<Client> {
    this.client ??= (async () => {
      const client = new Client(this.url);
      client.on('error', () => {}); // reported by the query that fails
      await client.connect();
      return client;
    })();
    return this.client;
  }
}
