import { randomUUID } from 'node:crypto';

/**
 * Rows that were made JSON by the database, and go into an answer as they are. While the answer is made a token, which
 * nobody can guess, stands for them.
 */
export class SplicedAnswer {
  private readonly rows = new Map<string, string>();

  /** @param rows JSON texts between commas */
  standIn(rows: string): unknown[] {
    const token = randomUUID();
    this.rows.set(token, rows);
    return [token];
  }

  /** The answer with the rows in it. */
  complete(answer: string): string {
    let complete = answer;
    for (const [token, rows] of this.rows) {
      const [before, after] = complete.split(`["${token}"]`);
      // Gone where the answer has no data.
      if (after !== undefined) complete = `${before}[${rows}]${after}`;
    }
    return complete;
  }
}
