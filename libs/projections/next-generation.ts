import { Injectable } from '@nestjs/common';
import type { Client } from 'pg';
import { START } from '#event-store/position';
import { Tenants } from '#platform/auth/tenants';
import { isConnectionLost } from '#platform/connection-lost';
import { ReadDatabase } from '#platform/database';
import { CheckpointMoved } from './checkpoints';
import { GenerationBuild } from './generation-build';
import { attachTables, createIndexes, dropGeneration } from './generation-tables';
import { trackOfGeneration, type Unfinished, unfinishedOf } from './generations';
import type { Track } from './live-models';
import type { RebuildRun } from './rebuild-run';

/** A generation that can be read, and that nobody reads yet. */
export interface NextTrack {
  unfinished: Unfinished;
  track: Track;
}

/** Brings a generation to where it only has to catch up and be shown. */
@Injectable()
export class NextGeneration {
  constructor(
    private readonly build: GenerationBuild,
    private readonly tenants: Tenants,
    private readonly reads: ReadDatabase,
  ) {}

  /**
   * Goes on with the generation that was left for the same tenants by the same version of the projection; one that was
   * left for others is dropped. When it fails for good, nothing is left of it.
   * @param client a session that has the lock of the projection's generations
   * @param finish what remains to be done with it
   * @throws EventNotApplied; DomainError tenant_held
   */
  async prepare(client: Client, run: RebuildRun, finish: (next: NextTrack) => Promise<void>): Promise<void> {
    const { projection } = run;
    const unfinished = await this.take(client, run);
    run.begin(unfinished);
    try {
      const track = await this.fill(client, run, unfinished);
      run.report('catching up');
      await finish({ unfinished, track });
    } catch (error) {
      if (!isConnectionLost(error) && !(error instanceof CheckpointMoved) && !run.stopped) {
        await client.query('rollback');
        await dropGeneration(client, projection, unfinished.generation);
      }
      throw error;
    }
  }

  private async take(client: Client, run: RebuildRun): Promise<Unfinished> {
    const { projection } = run;
    const left = await unfinishedOf(client, projection);
    if (left && run.goesOnWith(left)) return left;
    if (left) await dropGeneration(client, projection, left.generation);
    return this.build.begin(client, run);
  }

  private async fill(client: Client, run: RebuildRun, unfinished: Unfinished): Promise<Track> {
    const { projection } = run;
    const track = await trackOfGeneration(client, projection, unfinished);
    if (!unfinished.filled) {
      const tenants = (run.tenant ? [run.tenant] : await this.tenants.list()).map(({ id, partition }) => ({
        id,
        upTo: track.reached.get(partition) ?? START,
      }));
      run.report('filling');
      await this.build.fill(client, projection, unfinished, tenants, {
        counted: run.isWatched ? (total) => run.count(total) : undefined,
        copied: (events) => run.advance(events),
      });
    }
    run.report('indexing');
    const second = await this.reads.session(run.signal);
    try {
      await createIndexes([client, second], projection, unfinished.generation);
    } finally {
      await second.end();
    }
    await attachTables(client, projection, unfinished.generation);
    return track;
  }
}
