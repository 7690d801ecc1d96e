import { setTimeout as delay } from 'node:timers/promises';
import { Injectable, type OnModuleInit } from '@nestjs/common';
import { Feed, lagOf } from '#event-store/feed';
import { earliest, type Position } from '#event-store/position';
import { Clock } from '#kernel/clock';
import { type RegisteredTenant, Tenants } from '#platform/auth/tenants';
import { ReadDatabase } from '#platform/database';
import { registerGauge } from '#platform/observability/gauge';
import { Health } from '#platform/observability/health';
import { type LiveModel, liveModels, reachedIn, type Track } from './live-models';
import { Projections } from './projections';

const POLL_MS = 20;

export interface ProjectionState {
  name: string;
  /** The projection's version in this program. */
  version: number;
  /** The generation that is live for every tenant without a rebuild of its own since. */
  generation: number;
  /**
   * Age in seconds of the oldest event that the read model does not show yet; 0 when it shows all. Parked and held
   * tenants do not count.
   */
  lag: number;
  /** Aliases of the tenants that the read model no longer follows. */
  parked: string[];
  /** Aliases of the tenants whose read model stands still until an import is complete. */
  held: string[];
}

interface NamedModel {
  name: string;
  version: number;
  model: LiveModel;
}

/** The state of the read models for metrics, health checks and the operator, computed on request. */
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
    registerGauge(
      'projection_lag_seconds',
      'Age of the oldest event of a partition that a read model does not show yet; 0 when it shows all.',
      ['projection', 'partition'],
      async (set) => {
        const models = await this.models();
        for (const [index, lags] of (await this.lags(models)).entries())
          for (const [partition, lag] of lags.entries()) set(lag, models[index].name, String(partition));
      },
    );
    registerGauge(
      'projection_parked_tenants',
      'Tenants that a read model no longer follows, because an event of theirs could not be applied.',
      ['projection'],
      async (set) => {
        for (const { name, model } of await this.models()) set(model.parked.length, name);
      },
    );
    registerGauge(
      'projection_held_tenants',
      'Tenants whose read model stands still until what is being imported is complete.',
      ['projection'],
      async (set) => {
        for (const { name, model } of await this.models()) set(model.held.length, name);
      },
    );
    this.health.watch(async () =>
      (await this.models()).flatMap(({ name, version, model }) => [
        ...(model.parked.length > 0 ? [`${name}: ${model.parked.length} parked`] : []),
        ...(model.version > version ? [`${name}: built by a newer program`] : []),
      ]),
    );
  }

  /** The state of every read model. */
  async list(): Promise<ProjectionState[]> {
    const models = await this.models();
    const [tenants, lags] = await Promise.all([this.tenants.list(), this.lags(models)]);
    return models.map(({ name, version, model }, index) => ({
      name,
      version,
      generation: model.main.generation,
      lag: Math.max(...lags[index]),
      parked: aliasesOf(model.parked, tenants),
      held: aliasesOf(model.held, tenants),
    }));
  }

  /** Resolves once every read model shows all events, or after the given time. */
  async settled(milliseconds: number): Promise<void> {
    for (const end = performance.now() + milliseconds; performance.now() < end; await delay(POLL_MS)) {
      if ((await this.list()).every(({ lag }) => lag === 0)) return;
    }
  }

  private async models(): Promise<NamedModel[]> {
    const live = await liveModels(this.database.pool);
    return this.projections.all.map(({ name, version }) => ({ name, version, model: live.get(name)! }));
  }

  /** Each read model's lag by partition, in seconds. One query to the store serves all. */
  private async lags(models: readonly NamedModel[]): Promise<number[][]> {
    const partitions = await this.feed.partitions();
    const cursors = models.flatMap(({ model }) =>
      partitions.map((partition) => ({ partition, after: behind(model, partition) })),
    );
    const oldest = await this.feed.oldest(cursors);
    const now = this.clock.now();
    const lags = oldest.map((at) => lagOf(at, now));
    return models.map((_, index) => lags.slice(index * partitions.length, (index + 1) * partitions.length));
  }
}

function aliasesOf(tracks: readonly Track[], tenants: readonly RegisteredTenant[]): string[] {
  return tenants.filter(({ id }) => tracks.some(({ tenantId }) => tenantId === id)).map(({ alias }) => alias);
}

/** The position of the track that is furthest behind. */
function behind({ main, alone }: LiveModel, partition: number): Position {
  return earliest([main, ...alone].flatMap((track) => reachedIn(track, partition) ?? []));
}
