import { Injectable } from '@nestjs/common';
import type { PoolClient } from 'pg';
import { type Position, START } from '#event-store/position';
import { ReadDatabase } from '#platform/database';
import { CatchUp } from './catch-up';
import { liveModel, reachedIn, type Track } from './live-models';
import type { Projection } from './projection';

/** Lets a tenant's track that stands still go on. */
@Injectable()
export class Rejoining {
  constructor(
    private readonly catchUp: CatchUp,
    private readonly database: ReadDatabase,
  ) {}

  /**
   * Applies what the track has missed; the live read model takes it up where that ends: together with the others when
   * it is of their generation, else as a track of its own.
   * @param partition the tenant's
   * @param lift removes, in the last transaction, what made it stand still
   * @throws EventNotApplied; what comes before that event is applied
   * @throws CheckpointMoved when somebody else has it in hand as well
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
      // It may join the main track where that is, not ahead of it.
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
