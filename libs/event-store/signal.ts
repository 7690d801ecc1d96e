import { Injectable, Logger, type OnApplicationShutdown } from '@nestjs/common';
import { WriteDatabase } from '#platform/database';

export const APPENDED_CHANNEL = 'event_store_appended';
const COALESCE_MS = 5;

/**
 * Tells readers that something was appended: one NOTIFY for all appends of five milliseconds, and never inside an
 * append, because that would serialise commits. A lost signal costs a poll interval, never an event.
 */
@Injectable()
export class AppendSignal implements OnApplicationShutdown {
  private readonly log = new Logger(AppendSignal.name);
  private partitions = new Set<number>();
  private timer?: NodeJS.Timeout;

  constructor(private readonly database: WriteDatabase) {}

  appended(partitions: Iterable<number>): void {
    for (const partition of partitions) this.partitions.add(partition);
    if (this.partitions.size > 0) this.timer ??= setTimeout(() => this.send(), COALESCE_MS);
  }

  onApplicationShutdown(): void {
    clearTimeout(this.timer);
  }

  private send(): void {
    const payload = [...this.partitions].join(',');
    this.partitions = new Set();
    this.timer = undefined;
    this.database.pool
      .query({
        name: 'event_store.signal',
        text: 'select pg_notify($1, $2)',
        values: [APPENDED_CHANNEL, payload],
      })
      .catch((error: Error) => {
        this.log.warn(
          `Readers were not signalled and will see the append at their next poll: ${error.message}`,
        );
      });
  }
}
