import { Injectable, Logger, type OnApplicationShutdown } from '@nestjs/common';
import { holderOf } from '#event-store/load';
import { Loader } from '#event-store/loader';
import { Clock } from '#kernel/clock';
import { Rounds } from '#kernel/rounds';
import { Config } from '#platform/config';
import { ContentStorage } from '#platform/storage/content-storage';
import { CONTENT } from './document';

const EVERY_MS = 60 * 60_000;

/**
 * Removes bytes that no event names, because a process died during the upload, or before it appended the event. Bytes that an
 * event names have a natural key of the tenant, which is written in the event's transaction.
 */
@Injectable()
export class DocumentSweep implements OnApplicationShutdown {
  private readonly log = new Logger(DocumentSweep.name);
  private readonly rounds = new Rounds(
    () => this.sweep(),
    (error) => this.log.warn(`Files without a document were not removed: ${error.message}`),
  );

  constructor(
    private readonly storage: ContentStorage,
    private readonly loader: Loader,
    private readonly clock: Clock,
    private readonly config: Config,
  ) {}

  start(): void {
    this.rounds.start(EVERY_MS);
  }

  /** A sweep in progress is not awaited, as a folder with very many files takes long. */
  onApplicationShutdown(): void {
    void this.rounds.stop();
  }

  /** Sweeps once. @returns how many files were removed: those of no document, and those of unfinished uploads */
  async sweep(): Promise<{ orphans: number; unfinished: number }> {
    const before = new Date(this.clock.now().getTime() - this.config.DOCUMENTS_ORPHAN_MINUTES * 60_000);
    const unfinished = await this.storage.removeUnfinished(before);
    let orphans = 0;
    for await (const { tenantId, keys } of this.storage.keptBefore(before)) {
      const holders = await this.loader.load(
        tenantId,
        keys.map((key) => holderOf(CONTENT, key)),
      );
      for (const [index, key] of keys.entries()) {
        if (holders[index]) continue;
        await this.storage.remove(tenantId, key);
        orphans++;
      }
    }
    if (orphans + unfinished > 0)
      this.log.log(
        `Removed the bytes of ${orphans} uploads without a document, and of ${unfinished} unfinished`,
      );
    return { orphans, unfinished };
  }
}
