import { once } from 'node:events';
import type { ClientBase } from 'pg';
import { from as copyFrom } from 'pg-copy-streams';
import type { CopyText } from './copy-text';

/**
 * Copies rows into a table by COPY (PostgreSQL's text format), and takes them out of the text. `target` is a table with
 * its columns, from code.
 */
export async function copyText(client: ClientBase, target: string, text: CopyText): Promise<void> {
  if (text.length === 0) return;
  const stream = new CopyStream(client, target);
  await stream.write(text.take());
  await stream.end();
}

/**
 * Streams rows into a table by COPY. The transaction is the caller's; a stream that is not ended makes the next query
 * fail.
 */
export class CopyStream {
  private readonly stream: ReturnType<typeof copyFrom>;
  private readonly failed: Promise<never>;

  constructor(client: ClientBase, target: string) {
    this.stream = client.query(copyFrom(`copy ${target} from stdin`));
    // Listens to every error: a COPY that exceeded the connection's time limit fails again when the connection ends,
    // and without a listener that would end the process.
    this.failed = new Promise((_, reject) => this.stream.on('error', reject));
    // The next `write` or `end` reports the failure.
    this.failed.catch(() => undefined);
  }

  /**
   * Writes rows in the format of {@link CopyText}; waits while the database is behind. @throws the database's refusal
   */
  async write(text: Buffer): Promise<void> {
    if (!this.stream.write(text)) await Promise.race([once(this.stream, 'drain'), this.failed]);
  }

  /** Resolves when all rows are in the table. */
  async end(): Promise<void> {
    const finished = once(this.stream, 'finish');
    this.stream.end();
    await Promise.race([finished, this.failed]);
  }
}
