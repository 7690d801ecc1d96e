/** Runs several parts at the same time. The first failure ends all of them. */
export class Fight {
  private readonly parts: Promise<unknown>[] = [];
  private readonly ending = new AbortController();

  /** Aborted with the first failure: the other parts should then come to an end. */
  readonly lost = this.ending.signal;

  join(part: Promise<unknown>): void {
    this.parts.push(part.catch((error) => this.ending.abort(error)));
  }

  /** Resolves when every part is over. @throws the first failure */
  async over(): Promise<void> {
    await Promise.all(this.parts);
    this.lost.throwIfAborted();
  }
}
