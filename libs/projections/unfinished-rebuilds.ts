import { Injectable, Logger, type OnApplicationShutdown } from '@nestjs/common';
import { ProjectionRebuild } from './projection-rebuild';

const EVERY_MS = 5_000;

/** Looks for rebuilds that died with their process, and for read models that this program builds in a newer version. */
@Injectable()
export class UnfinishedRebuilds implements OnApplicationShutdown {
  private readonly log = new Logger(UnfinishedRebuilds.name);
  private readonly stopping = new AbortController();
  private timer?: NodeJS.Timeout;
  private running = Promise.resolve();

  constructor(private readonly rebuild: ProjectionRebuild) {}

  start(): void {
    this.timer = setTimeout(() => {
      this.running = this.look().finally(() => {
        if (!this.stopping.signal.aborted) this.start();
      });
    }, EVERY_MS);
  }

  async onApplicationShutdown(): Promise<void> {
    clearTimeout(this.timer);
    this.stopping.abort();
    await this.running;
  }

  private async look(): Promise<void> {
    try {
      for (const { name, generation, events } of await this.rebuild.resume(this.stopping.signal))
        this.log.log(`Rebuilt ${name} from ${events} events: generation ${generation}`);
    } catch (error) {
      if (!this.stopping.signal.aborted) this.log.error(`A rebuild failed: ${(error as Error).message}`);
    }
  }
}
