import { randomUUID } from 'node:crypto';

/**
 * An answer into which rows that the database formatted as JSON are inserted unchanged. While Apollo builds the answer,
 * a random token, which nobody can guess, stands for them.
 */
export class SplicedAnswer {
  private readonly rows = new Map<string, string>();

  /** @param rows JSON texts separated by commas */
  standIn(rows: string): unknown[] {
    const token = randomUUID();
    this.rows.set(token, rows);
    return [token];
  }

  /** Returns the answer with the rows in place of their tokens. */
  complete(answer: string): string {
    let complete = answer;
    // The token is missing when the answer has no data. A function, because a replacement's own `$` would have a meaning.
    for (const [token, rows] of this.rows) complete = complete.replace(`["${token}"]`, () => `[${rows}]`);
    return complete;
  }
}
