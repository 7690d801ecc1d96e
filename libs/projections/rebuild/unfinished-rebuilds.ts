import { Injectable, Logger, type OnApplicationShutdown } from '@nestjs/common';
import { ReadDatabase } from '#platform/database';
import { isTransient } from '#platform/database/connection-lost';
import { endStandingCopies } from '#platform/database/standing-copies';
import { ProjectionRebuild } from './projection-rebuild';

const EVERY_MS = 5_000;
/** What failed because of an event will fail again, and a rebuild costs as much each time. */
const AFTER_FAILURE_MS = 5 * 60_000;

/** Looks for rebuilds that died with their process, and for read models that this program builds in a newer version. */
@Injectable()
export class UnfinishedRebuilds implements OnApplicationShutdown {
  private readonly log = new Logger(UnfinishedRebuilds.name);
  private readonly stopping = new AbortController();
  private timer?: NodeJS.Timeout;
  private readonly notBefore = new Map<string, number>();
  private running = Promise.resolve();
  protected readonly standingMs?: number;

  constructor(
    private readonly rebuild: ProjectionRebuild,
    private readonly reads: ReadDatabase,
  ) {}

  /** Looks at once: whoever restarts a process that keeps dying must not wait for each life to last. */
  start(): void {
    this.running = this.look().finally(() => {
      if (!this.stopping.signal.aborted) this.timer = setTimeout(() => this.start(), EVERY_MS);
    });
  }

  async onApplicationShutdown(): Promise<void> {
    clearTimeout(this.timer);
    this.stopping.abort();
    await this.running;
  }

  private async look(): Promise<void> {
    await this.loosen();
    let lost: Error | undefined;
    for (const name of this.rebuild.names) {
      if (this.stopping.signal.aborted) return;
      if ((this.notBefore.get(name) ?? 0) > performance.now()) continue;
      try {
        const rebuilt = await this.rebuild.resume(name, this.stopping.signal);
        if (rebuilt)
          this.log.log(`Rebuilt ${name} from ${rebuilt.events} events: generation ${rebuilt.generation}`);
      } catch (error) {
        if (this.stopping.signal.aborted) return;
        if (isTransient(error)) {
          // Nobody knows whether it was being rebuilt at all.
          lost = error as Error;
          continue;
        }
        this.log.error(`The rebuild of ${name} failed: ${(error as Error).message}`);
        this.notBefore.set(name, performance.now() + AFTER_FAILURE_MS);
      }
    }
    if (lost) this.log.warn(`Rebuilds that have died wait for the database: ${lost.message}`);
  }

  /** Whoever was frozen amid the rows of a rebuild keeps it from others. */
  private async loosen(): Promise<void> {
    const ended = await endStandingCopies(this.reads.pool, this.standingMs).catch((error: Error) => {
      // A database that is away is told of by what comes next.
      if (!isTransient(error)) this.log.error(`Who stands still was not looked for: ${error.message}`);
      return 0;
    });
    if (ended > 0)
      this.log.warn(`Ended ${ended} sessions that copied rows into read models, and stood still`);
  }
}
