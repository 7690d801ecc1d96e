import { randomUUID } from 'node:crypto';
import { Logger, type OnApplicationShutdown } from '@nestjs/common';
import { Rounds } from '#kernel/rounds';
import type { ImportSettings } from '../import-settings';
import { WorkerEnding } from './import-request';
import type { Turn } from './turn';

/** Takes requests from a queue and carries them out, several at a time. */
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

  /** Releases the requests in progress, so that another worker can take them at once. */
  async onApplicationShutdown(): Promise<void> {
    await this.looks.stop();
    for (const turn of this.turns.keys()) turn.abort(new WorkerEnding());
    await Promise.all(this.turns.values());
  }

  /**
   * Takes the next request that no worker holds.
   * @param own the requests that this worker holds: their leases may have run out while the process was frozen
   */
  protected abstract take(own: readonly string[]): Promise<Taken | undefined>;

  /** Carries a request out. An error is logged, and the request is left until its lease runs out and a worker takes it. */
  protected abstract carryOut(turn: Taken): Promise<void>;

  /** Does housekeeping after each look at the queue. */
  protected async tidy(): Promise<void> {}

  /** Takes as many requests as may be carried out at once. */
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
        this.log.warn(`Import ${turn.requestId} is left to the next worker: ${error.message}`),
      )
      .finally(async () => {
        await turn.close();
        this.turns.delete(turn);
      });
    this.turns.set(turn, done);
  }
}
