import { randomUUID } from 'node:crypto';
import { Logger, type OnApplicationShutdown } from '@nestjs/common';
import { Rounds } from '#kernel/rounds';
import type { ImportSettings } from '../connection/import-settings';
import { WorkerEnding } from './import-request';
import type { Turn } from './turn';

/** Takes requests from a queue and carries them out, some at a time. */
export abstract class RequestWorker<Taken extends Turn> implements OnApplicationShutdown {
  protected readonly log = new Logger(this.constructor.name);
  protected readonly worker = randomUUID();
  private readonly turns = new Map<Taken, Promise<void>>();
  private readonly looks = new Rounds(
    () => this.look(),
    (error) => this.log.warn(`Imports are held up: ${error.message}`),
  );

  constructor(
    protected readonly settings: ImportSettings,
    private readonly atOnce: number,
  ) {}

  start(): void {
    this.looks.start(this.settings.pollMs);
  }

  /** What is under way is another worker's at once. */
  async onApplicationShutdown(): Promise<void> {
    await this.looks.stop();
    for (const turn of this.turns.keys()) turn.abort(new WorkerEnding());
    await Promise.all(this.turns.values());
  }

  /**
   * The next request that nobody has in hand.
   * @param own those that this worker has: after it has stood still for longer than its leases they look like nobody's
   */
  protected abstract take(own: readonly string[]): Promise<Taken | undefined>;

  /** What it throws is warned of, and the request left to whoever takes it when its lease has run out. */
  protected abstract carryOut(turn: Taken): Promise<void>;

  /** Done from time to time beside the queue. */
  protected async tidy(): Promise<void> {}

  /** Takes what it can, and carries it out beside what it has. */
  private async look(): Promise<void> {
    while (this.turns.size < this.atOnce) {
      const turn = await this.take([...this.turns.keys()].map(({ requestId }) => requestId));
      if (!turn) break;
      this.begin(turn);
    }
    await this.tidy();
  }

  private begin(turn: Taken): void {
    const done = this.carryOut(turn)
      .catch((error: Error) =>
        this.log.warn(`Import ${turn.requestId} is left to the next: ${error.message}`),
      )
      .finally(async () => {
        await turn.close();
        this.turns.delete(turn);
      });
    this.turns.set(turn, done);
  }
}
