/** What goes on at the same time, until the first failure: it ends all of it. */
export class Fight {
  private readonly parts: Promise<unknown>[] = [];
  private readonly ending = new AbortController();

  /** Aborted with what failed first: the other parts should come to their end. */
  readonly lost = this.ending.signal;

  join(part: Promise<unknown>): void {
    this.parts.push(part.catch((error) => this.ending.abort(error)));
  }

  /** Resolves when every part is over. @throws what failed first */
  async over(): Promise<void> {
    await Promise.all(this.parts);
    this.lost.throwIfAborted();
  }
}
