import { Injectable, Logger, type OnApplicationShutdown } from '@nestjs/common';
import { Clock } from '#kernel/clock';
import { Rounds } from '#kernel/rounds';
import { deleteEndedWindows } from '#platform/auth/ended-windows';
import { WriteDatabase } from '#platform/database';
import { Erasures } from './erasures';

const EVERY_MS = 10 * 60_000;
const CHUNK = 10_000;
const KEPT_MS = 24 * 3_600_000;

/** Deletes what the store keeps for a time only, and makes sure that no key of an erased person is left. */
@Injectable()
export class Housekeeping implements OnApplicationShutdown {
  private readonly log = new Logger(Housekeeping.name);
  private readonly rounds = new Rounds(
    () => this.round(),
    (error) => this.log.warn(`Expired data was not deleted: ${error.message}`),
  );

  constructor(
    private readonly database: WriteDatabase,
    private readonly clock: Clock,
    private readonly erasures: Erasures,
  ) {}

  start(): void {
    void this.repeatErasures();
    this.rounds.start(EVERY_MS);
  }

  /** Does not wait for a round in progress: deleting many keys takes long. */
  onApplicationShutdown(): void {
    void this.rounds.stop();
  }

  async round(): Promise<void> {
    await this.repeatErasures();
    await deleteEndedWindows(this.database.pool);
    await this.forgetKeys();
  }

  private async repeatErasures(): Promise<void> {
    try {
      const count = await this.erasures.repeat();
      if (count > 0) this.log.warn(`Destroyed ${count} keys of erased people again`);
    } catch (error) {
      this.log.warn(`The check for keys of erased people failed: ${(error as Error).message}`);
    }
  }

  /** Deletes idempotency keys after 24 hours, in chunks so that the feed is never held back. */
  private async forgetKeys(): Promise<void> {
    const before = new Date(this.clock.now().getTime() - KEPT_MS);
    for (let deleted = CHUNK; deleted === CHUNK; ) {
      const { rowCount } = await this.database.pool.query(
        `delete from event_store.idempotency_keys where ctid = any(array(
           select ctid from event_store.idempotency_keys where created_at < $1 limit $2))`,
        [before, CHUNK],
      );
      deleted = rowCount ?? 0;
    }
  }
}
