import { Injectable } from '@nestjs/common';
import type { Client, PoolClient } from 'pg';
import { comparePositions, type Position, START } from '#event-store/position';
import type { RegisteredTenant } from '#platform/auth/tenants';
import { ReadDatabase } from '#platform/database';
import { CatchUp } from '../catch-up';
import { CheckpointMoved } from '../checkpoints';
import { type LiveModel, liveModel, liveModels, reachedIn } from '../live-models';
import type { Projection } from '../projection';
import { Projections } from '../projections';
import { pause } from './delivered';
import { ABANDONED } from './generation-tables';
import { sweep, unfinishedOf } from './generations';
import { LiveFill, type Standing } from './live-fill';
import { lockFill, lockGenerations } from './rebuild-lock';

/** The tenant's own track is ahead of the main one: its readers would see an earlier state for a moment. */
class Ahead extends Error {}

/**
 * Brings tenants back into the generation of all tenants, while their own generations serve their reads. Each generation
 * makes reads slower to plan, of all tenants: a rebuild of one tenant, and each promotion of an import, leaves one.
 */
@Injectable()
export class TenantReturn {
  constructor(
    private readonly projections: Projections,
    private readonly filling: LiveFill,
    private readonly catchUp: CatchUp,
    private readonly reads: ReadDatabase,
  ) {}

  /** Ids of the tenants that have a generation of their own in some read model, and can be brought back. */
  async away(): Promise<number[]> {
    const models = await liveModels(this.reads.pool);
    const ids = this.projections.all.flatMap((projection) =>
      returnable(projection, models.get(projection.name)!),
    );
    return [...new Set(ids)];
  }

  /**
   * Brings a tenant back, in all read models that nobody else is rebuilding. If it is interrupted, it can be run again;
   * it then starts anew with the read models that are left.
   * @returns names of the read models in which the tenant has come back
   * @throws NotFilled; CheckpointMoved when the tenant was held or parked meanwhile; the signal's reason
   */
  async bringBack(tenant: RegisteredTenant, signal?: AbortSignal): Promise<string[]> {
    const client = await this.reads.watchedSession(signal);
    try {
      const standing = await this.locked(client, tenant);
      if (standing.length === 0 || !(await lockFill(client, tenant.id))) return [];
      const upTo = await this.filling.fill(client, standing, tenant, signal);
      if (!upTo) return [];
      for (const each of standing) await this.join(each, tenant, upTo, signal);
      for (const { projection } of standing) await sweep(client, projection);
      return standing.map(({ projection }) => projection.name);
    } finally {
      // Ends the session, and with it the locks.
      await client.end();
    }
  }

  /** Locks the generations of read models in which the tenant can be brought back. */
  private async locked(client: Client, { id }: RegisteredTenant): Promise<Standing[]> {
    const locked: Projection[] = [];
    const before = await liveModels(client);
    for (const projection of this.projections.all) {
      if (!returnable(projection, before.get(projection.name)!).includes(id)) continue;
      if (!(await lockGenerations(client, projection.name))) continue;
      // What a rebuild has left behind is resumed or dropped first.
      if (!(await unfinishedOf(client, projection))) locked.push(projection);
    }
    const models = await liveModels(client);
    return locked.flatMap((projection) => {
      const model = models.get(projection.name)!;
      return returnable(projection, model).includes(id)
        ? [{ projection, generation: model.main.generation }]
        : [];
    });
  }

  private async join(
    { projection, generation }: Standing,
    tenant: RegisteredTenant,
    upTo: Position,
    signal?: AbortSignal,
  ): Promise<void> {
    const { id: tenantId, partition } = tenant;
    const track = {
      projection: projection.name,
      generation,
      tenantId,
      reached: new Map([[partition, upTo]]),
    };
    for (;;) {
      try {
        return await this.catchUp.rejoin(projection, track, partition, (joining) =>
          leave(joining, projection, tenant),
        );
      } catch (error) {
        if (!(error instanceof Ahead)) throw error;
      }
      await pause(signal);
    }
  }
}

/** Ids of the tenants that a read model of this program's version serves from generations of their own. */
function returnable({ version }: Projection, model: LiveModel): number[] {
  return model.version === version ? model.alone.map(({ tenantId }) => tenantId) : [];
}

/** Ends the tenant's own track, in a transaction that has locked the tracks. */
async function leave(
  client: PoolClient,
  { name }: Projection,
  { id, partition }: RegisteredTenant,
): Promise<void> {
  const model = await liveModel(client, name);
  const own = model.alone.find(({ tenantId }) => tenantId === id);
  if (!own) throw new CheckpointMoved(name);
  if (comparePositions(reachedIn(model.main, partition) ?? START, reachedIn(own, partition) ?? START) < 0)
    throw new Ahead();
  await client.query('delete from read_model.live where projection = $1 and tenant_id = $2', [name, id]);
  // Its number is greater than those that are live: without this it would be taken for an unfinished rebuild.
  await client.query(
    'update read_model.generations set version = $3 where projection = $1 and generation = $2',
    [name, own.generation, ABANDONED],
  );
}
