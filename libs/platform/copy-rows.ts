import { once } from 'node:events';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { ClientBase } from 'pg';
import { from as copyFrom } from 'pg-copy-streams';

const ESCAPES: Record<string, string> = { '\\': '\\\\', '\t': '\\t', '\n': '\\n', '\r': '\\r' };
const CHUNK = 64 * 1024;

/** Rows into a table by COPY (PostgreSQL's text format). `target` is a table with its columns, from code. */
export async function copyRows(
  client: ClientBase,
  target: string,
  rows: readonly (readonly unknown[])[],
): Promise<void> {
  if (rows.length === 0) return;
  await pipeline(Readable.from(lines(rows)), client.query(copyFrom(`copy ${target} from stdin`)));
}

/** Rows into a table by COPY, as they come. Its transaction is the caller's; one that is not ended fails the next query. */
export class CopyStream {
  private readonly stream: ReturnType<typeof copyFrom>;
  private readonly failed: Promise<never>;

  constructor(client: ClientBase, target: string) {
    this.stream = client.query(copyFrom(`copy ${target} from stdin`));
    this.failed = new Promise((_, reject) => this.stream.once('error', reject));
    // Heard of by whoever writes next.
    this.failed.catch(() => undefined);
  }

  /** Waits while the database is behind. @throws what it refuses */
  async write(rows: readonly (readonly unknown[])[]): Promise<void> {
    let text = '';
    for (const row of rows) text += lineOf(row);
    if (!this.stream.write(text)) await Promise.race([once(this.stream, 'drain'), this.failed]);
  }

  /** All rows are in the table. */
  async end(): Promise<void> {
    const finished = once(this.stream, 'finish');
    this.stream.end();
    await Promise.race([finished, this.failed]);
  }
}

function* lines(rows: Iterable<readonly unknown[]>): Generator<string> {
  let text = '';
  for (const row of rows) {
    text += lineOf(row);
    if (text.length < CHUNK) continue;
    yield text;
    text = '';
  }
  yield text;
}

function lineOf(row: readonly unknown[]): string {
  let line = '';
  for (let index = 0; index < row.length; index++) line += (index === 0 ? '' : '\t') + copyText(row[index]);
  return `${line}\n`;
}

/** A value in COPY's text format; objects are JSON. */
function copyText(value: unknown): string {
  if (value === null || value === undefined) return '\\N';
  if (typeof value === 'number' || typeof value === 'boolean' || typeof value === 'bigint')
    return String(value);
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  return /[\\\t\n\r]/.test(text) ? text.replace(/[\\\t\n\r]/g, (char) => ESCAPES[char]) : text;
}
