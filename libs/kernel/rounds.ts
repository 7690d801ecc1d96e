/** Does something again and again, one round at a time, however long one takes. */
export class Rounds {
  private timer?: NodeJS.Timeout;
  private running?: Promise<unknown>;

  /** @param failed is told why a round has failed; the next one comes all the same */
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

  /** None begins any more. Resolves when the one in hand has ended. */
  async stop(): Promise<void> {
    clearInterval(this.timer);
    await this.running;
  }
}
