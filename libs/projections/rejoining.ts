import { Injectable } from '@nestjs/common';
import type { PoolClient } from 'pg';
import { type Position, START } from '#event-store/position';
import { ReadDatabase } from '#platform/database';
import { CatchUp } from './catch-up';
import { liveModel, reachedIn, type Track } from './live-models';
import type { Projection } from './projection';

/** Resumes a tenant's track that stands still. */
@Injectable()
export class Rejoining {
  constructor(
    private readonly catchUp: CatchUp,
    private readonly database: ReadDatabase,
  ) {}

  /**
   * Applies the events that the track has missed. The live read model then continues with the tenant: on the main track
   * if the generation is the same, otherwise on a track of its own.
   * @param partition the tenant's partition
   * @param lift removes, in the last transaction, the reason why the track stood still
   * @throws EventNotApplied; events before that event are applied
   * @throws CheckpointMoved when another process is working on the same track
   */
  async run(
    projection: Projection,
    track: Track,
    partition: number,
    lift: (client: PoolClient) => Promise<void>,
  ): Promise<void> {
    const { main } = await liveModel(this.database.pool, projection.name);
    const joins = track.generation === main.generation;
    await this.catchUp.run(
      projection,
      track,
      async (client) => {
        await lift(client);
        if (joins) await forgetCheckpoint(client, track);
      },
      // The track can join the main track only at the main track's position, not ahead of it.
      joins ? (database) => mainPosition(database, track, partition) : undefined,
    );
  }
}

async function mainPosition(
  database: Pick<PoolClient, 'query'>,
  { projection }: Track,
  partition: number,
): Promise<Position> {
  const { main } = await liveModel(database, projection);
  return reachedIn(main, partition) ?? START;
}

async function forgetCheckpoint(client: PoolClient, track: Track): Promise<void> {
  await client.query(
    'delete from read_model.checkpoints where projection = $1 and generation = $2 and tenant_id = $3',
    [track.projection, track.generation, track.tenantId],
  );
}
