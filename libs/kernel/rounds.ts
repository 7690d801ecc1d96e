/** Repeats a task at an interval. A round that takes longer delays the next one; rounds never overlap. */
export class Rounds {
  private timer?: NodeJS.Timeout;
  private running?: Promise<unknown>;

  /** @param failed receives the error of a round that fails; the next round is run all the same */
  constructor(
    private readonly round: () => Promise<unknown>,
    private readonly failed: (error: Error) => void,
  ) {}

  start(everyMs: number): void {
    this.timer = setInterval(() => {
      this.running ??= this.round()
        .catch(this.failed)
        .finally(() => {
          this.running = undefined;
        });
    }, everyMs).unref();
  }

  /** Starts no further round. Resolves when the current one has ended. */
  async stop(): Promise<void> {
    clearInterval(this.timer);
    await this.running;
  }
}
