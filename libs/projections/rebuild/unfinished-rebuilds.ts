import { Injectable, Logger, type OnApplicationShutdown } from '@nestjs/common';
import { ReadDatabase } from '#platform/database';
import { isTransient } from '#platform/database/connection-lost';
import { endStandingCopies } from '#platform/database/standing-copies';
import { ProjectionRebuild } from './projection-rebuild';

const EVERY_MS = 5_000;
/** Delay after a failed rebuild. If an event was the cause it fails again, and each attempt costs as much. */
const AFTER_FAILURE_MS = 5 * 60_000;

/** Resumes rebuilds whose process has died, and rebuilds read models of which this program has a newer version. */
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

  /**
   * Starts the search at once, so that a process that keeps dying makes progress after each restart, however briefly it
   * runs.
   */
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
          // It is unknown whether this read model was being rebuilt at all.
          lost = error as Error;
          continue;
        }
        this.log.error(`The rebuild of ${name} failed: ${(error as Error).message}`);
        this.notBefore.set(name, performance.now() + AFTER_FAILURE_MS);
      }
    }
    if (lost) this.log.warn(`Interrupted rebuilds continue when the database answers: ${lost.message}`);
  }

  /** Ends sessions that have frozen while copying rows of a rebuild, because they block the rebuild for others. */
  private async loosen(): Promise<void> {
    const ended = await endStandingCopies(this.reads.pool, this.standingMs).catch((error: Error) => {
      // The queries that follow report an unavailable database.
      if (!isTransient(error))
        this.log.error(`The check for sessions that stand still failed: ${error.message}`);
      return 0;
    });
    if (ended > 0)
      this.log.warn(
        `Ended ${ended} sessions whose processes stood still while they copied rows into read models`,
      );
  }
}
