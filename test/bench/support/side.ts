import type { Poster } from './open-loop';

/** A question in the form in which one side is asked. */
export interface Ask {
  body: { operationName: string; query: string; variables: object };
  /** The rows of the answer in the requested order, each as its values in the question's order. */
  rows(data: Record<string, unknown>): unknown[][];
}

/** One of the services that are compared. */
export class Side {
  constructor(
    readonly name: string,
    private readonly url: string,
    private readonly poster: Poster,
  ) {}

  /** The rows, and the milliseconds until the caller has them, parsed and in order. */
  async ask({ body, rows }: Ask): Promise<{ rows: unknown[][]; ms: number }> {
    const began = performance.now();
    const answer = await this.poster.post(this.url, body);
    const { data, errors } = JSON.parse(answer.body);
    if (answer.status !== 200 || errors)
      throw new Error(`${this.name} answered ${answer.status}: ${answer.body.slice(0, 2000)}`);
    const found = rows(data);
    return { rows: found, ms: performance.now() - began };
  }
}
