import { setTimeout as delay } from 'node:timers/promises';
import { Injectable, type OnModuleInit } from '@nestjs/common';
import { Gauge, register } from 'prom-client';
import { Feed } from '#event-store/feed';
import { comparePositions, type Position } from '#event-store/position';
import { Clock } from '#kernel/clock';
import { Tenants } from '#platform/auth/tenants';
import { ReadDatabase } from '#platform/database';
import { Health } from '#platform/observability/health';
import { type LiveModel, liveModels, reachedIn } from './live-models';
import { Projections } from './projections';

const POLL_MS = 20;

export interface ProjectionState {
  name: string;
  /** Of the projection in this program. */
  version: number;
  /** Live for every tenant that was not rebuilt alone since. */
  generation: number;
  /** Age in seconds of the oldest event that it does not show yet; 0 when it shows all. Parked tenants do not count. */
  lag: number;
  /** Aliases of the tenants that it no longer follows. */
  parked: string[];
}

/** How the read models are: for metrics, health and the operator. Worked out when asked. */
@Injectable()
export class ProjectionStatus implements OnModuleInit {
  constructor(
    private readonly feed: Feed,
    private readonly database: ReadDatabase,
    private readonly tenants: Tenants,
    private readonly clock: Clock,
    private readonly projections: Projections,
    private readonly health: Health,
  ) {}

  onModuleInit(): void {
    gauge(
      'projection_lag_seconds',
      'Age of the oldest event that a read model does not show yet; 0 when it shows all.',
      async (set) => {
        for (const { name, lag } of await this.list()) set(name, lag);
      },
    );
    gauge(
      'projection_parked_tenants',
      'Tenants that a read model no longer follows, because an event of theirs could not be applied.',
      async (set) => {
        for (const { name, model } of await this.models()) set(name, model.parked.length);
      },
    );
    this.health.watch(async () =>
      (await this.models())
        .filter(({ model }) => model.parked.length > 0)
        .map(({ name, model }) => `${name}: ${model.parked.length} parked`),
    );
  }

  /** Every read model. */
  async list(): Promise<ProjectionState[]> {
    const [partitions, tenants, models] = await Promise.all([
      this.feed.partitions(),
      this.tenants.list(),
      this.models(),
    ]);
    return Promise.all(
      models.map(async ({ name, version, model }) => ({
        name,
        version,
        generation: model.main.generation,
        lag: await this.lag(model, partitions),
        parked: tenants
          .filter(({ id }) => model.parked.some(({ tenantId }) => tenantId === id))
          .map(({ alias }) => alias),
      })),
    );
  }

  /** Resolves once every read model shows all events, or after so many milliseconds. */
  async settled(milliseconds: number): Promise<void> {
    for (const end = Date.now() + milliseconds; Date.now() < end; await delay(POLL_MS)) {
      if ((await this.list()).every(({ lag }) => lag === 0)) return;
    }
  }

  private async models(): Promise<{ name: string; version: number; model: LiveModel }[]> {
    const live = await liveModels(this.database.pool);
    return this.projections.all.map(({ name, version }) => ({ name, version, model: live.get(name)! }));
  }

  private async lag({ main, alone }: LiveModel, partitions: number[]): Promise<number> {
    const cursors = partitions.map((partition) => ({
      partition,
      after: [main, ...alone]
        .flatMap((track) => reachedIn(track, partition) ?? [])
        .reduce<Position>((a, b) => (comparePositions(a, b) <= 0 ? a : b), reachedIn(main, partition)!),
    }));
    const oldest = await this.feed.oldest(cursors);
    // An event of this very millisecond is unseen too.
    return oldest ? Math.max(0.001, (this.clock.now().getTime() - oldest.getTime()) / 1000) : 0;
  }
}

function gauge(
  name: string,
  help: string,
  collect: (set: (projection: string, value: number) => void) => Promise<void>,
): void {
  register.removeSingleMetric(name);
  new Gauge({
    name,
    help,
    labelNames: ['projection'],
    collect() {
      return collect((projection, value) => this.labels(projection).set(value));
    },
  });
}
