import { once } from 'node:events';
import type { ClientBase } from 'pg';
import { from as copyFrom } from 'pg-copy-streams';
import type { CopyText } from './copy-text';

/** Rows into a table by COPY (PostgreSQL's text format); none are left in the text. `target` is a table with its columns, from code. */
export async function copyText(client: ClientBase, target: string, text: CopyText): Promise<void> {
  if (text.length === 0) return;
  const stream = new CopyStream(client, target);
  await stream.write(text.take());
  await stream.end();
}

/** Rows into a table by COPY, as they come. Its transaction is the caller's; one that is not ended fails the next query. */
export class CopyStream {
  private readonly stream: ReturnType<typeof copyFrom>;
  private readonly failed: Promise<never>;

  constructor(client: ClientBase, target: string) {
    this.stream = client.query(copyFrom(`copy ${target} from stdin`));
    // Each time: one that was too slow for the connection's limit fails again with its connection, and would end the process.
    this.failed = new Promise((_, reject) => this.stream.on('error', reject));
    // Heard of by whoever writes next.
    this.failed.catch(() => undefined);
  }

  /** Takes rows as {@link CopyText} has them; waits while the database is behind. @throws what it refuses */
  async write(text: Buffer): Promise<void> {
    if (!this.stream.write(text)) await Promise.race([once(this.stream, 'drain'), this.failed]);
  }

  /** All rows are in the table. */
  async end(): Promise<void> {
    const finished = once(this.stream, 'finish');
    this.stream.end();
    await Promise.race([finished, this.failed]);
  }
}
