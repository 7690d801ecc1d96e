import { Injectable, Logger, type OnApplicationShutdown } from '@nestjs/common';
import { Clock } from '#kernel/clock';
import { WriteDatabase } from '#platform/database';
import { Erasures } from './erasures';

const EVERY_MS = 10 * 60_000;
const CHUNK = 10_000;
const KEPT_MS = 24 * 3_600_000;

/**
 * Deletes idempotency keys after 24 hours, in chunks so that the feed is never held back, and makes sure that no key of
 * an erased person is left.
 */
@Injectable()
export class Housekeeping implements OnApplicationShutdown {
  private readonly log = new Logger(Housekeeping.name);
  private timer?: NodeJS.Timeout;

  constructor(
    private readonly database: WriteDatabase,
    private readonly clock: Clock,
    private readonly erasures: Erasures,
  ) {}

  start(): void {
    this.repeatErasures();
    this.timer = setInterval(() => {
      this.repeatErasures();
      this.forgetKeys().catch((error: Error) =>
        this.log.warn(`Idempotency keys were not pruned: ${error.message}`),
      );
    }, EVERY_MS).unref();
  }

  private repeatErasures(): void {
    this.erasures.repeat().then(
      (count) => {
        if (count > 0) this.log.warn(`Destroyed ${count} keys of erased people again`);
      },
      (error: Error) => this.log.warn(`The check for keys of erased people failed: ${error.message}`),
    );
  }

  onApplicationShutdown(): void {
    clearInterval(this.timer);
  }

  /** @returns the number of deleted idempotency keys */
  async forgetKeys(): Promise<number> {
    const before = new Date(this.clock.now().getTime() - KEPT_MS);
    for (let total = 0; ; ) {
      const { rowCount } = await this.database.pool.query(
        `delete from event_store.idempotency_keys where ctid = any(array(
           select ctid from event_store.idempotency_keys where created_at < $1 limit $2))`,
        [before, CHUNK],
      );
      total += rowCount ?? 0;
      if ((rowCount ?? 0) < CHUNK) return total;
    }
  }
}
