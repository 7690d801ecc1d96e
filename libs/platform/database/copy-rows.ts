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
  private failure?: Error;

  constructor(client: ClientBase, target: string) {
    this.stream = client.query(copyFrom(`copy ${target} from stdin`));
    // Listens to every error: a COPY that exceeded the connection's time limit fails again when the connection ends,
    // and without a listener that would end the process.
    this.stream.on('error', (error) => {
      this.failure ??= error;
    });
  }

  /**
   * Writes rows in the format of {@link CopyText}; waits while the database is behind. @throws the database's refusal
   */
  async write(text: Buffer): Promise<void> {
    this.requireNoFailure();
    if (!this.stream.write(text)) await once(this.stream, 'drain');
  }

  /** Resolves when all rows are in the table. */
  async end(): Promise<void> {
    this.requireNoFailure();
    this.stream.end();
    await once(this.stream, 'finish');
  }

  /** A COPY that has failed takes no rows: it has left its connection. */
  private requireNoFailure(): void {
    if (this.failure) throw this.failure;
  }
}
