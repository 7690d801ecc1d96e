import { setTimeout as delay } from 'node:timers/promises';
import { Injectable, type OnModuleInit } from '@nestjs/common';
import { Gauge, register } from 'prom-client';
import { Feed } from '#event-store/feed';
import { START } from '#event-store/position';
import { Clock } from '#kernel/clock';
import { ReadDatabase } from '#platform/database';
import { liveGenerations } from './checkpoints';
import type { Projection } from './projection';

const POLL_MS = 20;

/** How old the oldest event is that a read model does not show yet; worked out when the metrics are read. */
@Injectable()
export class ProjectionLag implements OnModuleInit {
  constructor(
    private readonly feed: Feed,
    private readonly database: ReadDatabase,
    private readonly clock: Clock,
    private readonly projections: readonly Projection[],
  ) {}

  onModuleInit(): void {
    const lag = this;
    register.removeSingleMetric('projection_lag_seconds');
    new Gauge({
      name: 'projection_lag_seconds',
      help: 'Age of the oldest event that a read model does not show yet; 0 when it shows all.',
      labelNames: ['projection'],
      async collect() {
        for (const { name, seconds } of await lag.measure()) this.labels(name).set(seconds);
      },
    });
  }

  /** Resolves once every read model shows all events, or after so many milliseconds. */
  async settled(milliseconds: number): Promise<void> {
    for (const end = Date.now() + milliseconds; Date.now() < end; await delay(POLL_MS)) {
      if ((await this.measure()).every(({ seconds }) => seconds === 0)) return;
    }
  }

  async measure(): Promise<{ name: string; seconds: number }[]> {
    const live = await liveGenerations(this.database.pool);
    const partitions = await this.feed.partitions();
    return Promise.all(
      this.projections.map(async ({ name }) => {
        const reached = live.get(name)?.reached;
        const cursors = partitions.map((partition) => ({
          partition,
          after: reached?.get(partition) ?? START,
        }));
        const unread = await this.feed.read(cursors, 1);
        if (unread.length === 0) return { name, seconds: 0 };
        const oldest = Math.min(...unread.map(({ recordedAt }) => recordedAt.getTime()));
        // An event of this very millisecond is unseen too.
        return { name, seconds: Math.max(0.001, (this.clock.now().getTime() - oldest) / 1000) };
      }),
    );
  }
}
