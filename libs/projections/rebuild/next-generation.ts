import { Injectable } from '@nestjs/common';
import type { Client } from 'pg';
import { printPosition, START } from '#event-store/position';
import { Tenants } from '#platform/auth/tenants';
import { ReadDatabase } from '#platform/database';
import { isTransient } from '#platform/database/connection-lost';
import { CheckpointMoved } from '../checkpoints';
import type { Track } from '../live-models';
import type { Projection } from '../projection';
import { GenerationBuild } from './generation-build';
import { attachTables, createIndexes, dropGeneration } from './generation-tables';
import { type Started, trackOfGeneration, unfinishedOf } from './generations';
import type { RebuildRun } from './rebuild-run';

/** A generation that will be shown; nobody reads it yet. */
export interface NextTrack extends Started {
  track: Track;
}

/** Prepares generations up to the point where they only have to catch up and be shown. */
@Injectable()
export class NextGeneration {
  constructor(
    private readonly build: GenerationBuild,
    private readonly tenants: Tenants,
    private readonly reads: ReadDatabase,
  ) {}

  /**
   * Resumes the unfinished generations of the same tenants and the same projection versions, and drops other unfinished
   * ones. If the run fails permanently, its generations are dropped.
   * @param client a session that holds the locks on the projections' generations
   * @param finish does the remaining work; gets one generation for each of the run's projections
   * @throws EventNotApplied; DomainError tenant_held
   */
  async prepare(
    client: Client,
    run: RebuildRun,
    finish: (next: readonly NextTrack[]) => Promise<void>,
  ): Promise<void> {
    const next: NextTrack[] = [];
    for (const projection of run.projections) next.push(await this.take(client, run, projection));
    run.begin(next.map(({ unfinished }) => unfinished));
    try {
      await this.fill(client, run, next);
      await this.index(client, run, next);
      run.report('catching up');
      await finish(next);
    } catch (error) {
      if (!isTransient(error) && !(error instanceof CheckpointMoved) && !run.stopped) {
        await client.query('rollback');
        for (const { projection, unfinished } of next)
          await dropGeneration(client, projection, unfinished.generation);
      }
      throw error;
    }
  }

  private async take(client: Client, run: RebuildRun, projection: Projection): Promise<NextTrack> {
    let unfinished = await unfinishedOf(client, projection);
    if (unfinished && !run.goesOnWith(projection, unfinished)) {
      await dropGeneration(client, projection, unfinished.generation);
      unfinished = undefined;
    }
    unfinished ??= await this.build.begin(client, run, projection);
    return { projection, unfinished, track: await trackOfGeneration(client, projection, unfinished) };
  }

  private async fill(client: Client, run: RebuildRun, next: readonly NextTrack[]): Promise<void> {
    const empty = next.filter(({ unfinished }) => !unfinished.filled);
    if (empty.length === 0) return;
    const tenants = run.tenant ? [run.tenant] : await this.tenants.list();
    run.report('filling');
    for (const together of byPlace(empty)) {
      const [{ track }] = together;
      const bounds = tenants.map(({ id, partition }) => ({
        id,
        upTo: track.reached.get(partition) ?? START,
      }));
      await this.build.fill(client, together, bounds, {
        counted: run.isWatched ? (total) => run.count(total) : undefined,
        copied: (events) => run.advance(events),
      });
    }
  }

  private async index(client: Client, run: RebuildRun, next: readonly NextTrack[]): Promise<void> {
    const second = await this.reads.session(run.signal);
    try {
      for (const { projection, unfinished } of next) {
        run.report('indexing');
        await createIndexes([client, second], projection, unfinished.generation);
        await attachTables(client, projection, unfinished.generation);
      }
    } finally {
      await second.end();
    }
  }
}

/**
 * Groups generations that are filled equally far and will be filled equally far, so that one pass over the history
 * serves each group. There is one group unless separate runs began the generations.
 */
function byPlace(next: readonly NextTrack[]): NextTrack[][] {
  const places = new Map<string, NextTrack[]>();
  for (const one of next) {
    const { filledTenant, filledStream } = one.unfinished;
    const bounds = [...one.track.reached]
      .map(([partition, at]) => `${partition} ${printPosition(at)}`)
      .sort();
    const place = [filledTenant, filledStream, ...bounds].join();
    places.set(place, [...(places.get(place) ?? []), one]);
  }
  return [...places.values()];
}
