import { Injectable } from '@nestjs/common';
import type { PoolClient } from 'pg';
import { type RegisteredTenant, Tenants } from '#platform/auth/tenants';
import { ReadDatabase } from '#platform/database';
import { CatchUp } from './catch-up';
import { CheckpointMoved } from './checkpoints';
import { EventNotApplied } from './event-not-applied';
import { liveModel, type Track } from './live-models';
import type { Projection } from './projection';
import { Projections } from './projections';
import { tenantHeld } from './rebuild/rebuild-lock';

export interface Retried {
  tenant: string;
  /** False if the tenant is still parked, for the given reason. */
  resumed: boolean;
  reason: string | null;
}

/** Resumes parked tenants once the cause has been fixed. */
@Injectable()
export class ParkedTenants {
  constructor(
    private readonly projections: Projections,
    private readonly catchUp: CatchUp,
    private readonly tenants: Tenants,
    private readonly database: ReadDatabase,
  ) {}

  /**
   * Applies the events that the parked tenants have missed. The live read model then continues with each tenant.
   * @param alias alias of one tenant; default: all parked tenants
   * @throws DomainError unknown_projection, tenant_not_found; tenant_held when the given tenant is held
   */
  async retry(name: string, alias?: string): Promise<Retried[]> {
    const projection = this.projections.get(name);
    const tenants = await this.tenants.chosen(alias);
    const { parked, held } = await liveModel(this.database.pool, name);
    if (alias !== undefined && held.some(({ tenantId }) => tenantId === tenants[0].id))
      throw tenantHeld(name);
    const results: Retried[] = [];
    for (const tenant of tenants.filter(({ id }) => parked.some(({ tenantId }) => tenantId === id))) {
      const result = await this.resume(projection, tenant);
      if (result) results.push(result);
    }
    return results;
  }

  /** Resumes a tenant. Returns undefined when the tenant is not parked. */
  private async resume(projection: Projection, tenant: RegisteredTenant): Promise<Retried | undefined> {
    const { alias, id, partition } = tenant;
    for (let wasParked = false; ; wasParked = true) {
      const { parked } = await liveModel(this.database.pool, projection.name);
      const track = parked.find(({ tenantId }) => tenantId === id);
      if (!track) return wasParked ? { tenant: alias, resumed: true, reason: null } : undefined;
      try {
        await this.catchUp.rejoin(projection, track, partition, (client) => unpark(client, track));
        return { tenant: alias, resumed: true, reason: null };
      } catch (error) {
        // A rebuild or another retry is working on the same track.
        if (error instanceof CheckpointMoved) continue;
        if (!(error instanceof EventNotApplied)) throw error;
        await this.note(track, error);
        return { tenant: alias, resumed: false, reason: error.message };
      }
    }
  }

  private async note({ projection, tenantId }: Track, { recorded, reason }: EventNotApplied): Promise<void> {
    await this.database.pool.query(
      `update read_model.parked set event_id = $3, event_type = $4, error = $5, parked_at = now()
       where projection = $1 and tenant_id = $2`,
      [projection, tenantId, recorded.eventId, recorded.event.type, reason],
    );
  }
}

async function unpark(client: PoolClient, { projection, tenantId }: Track): Promise<void> {
  const { rowCount } = await client.query(
    'delete from read_model.parked where projection = $1 and tenant_id = $2',
    [projection, tenantId],
  );
  // A rebuild has replaced the track's generation meanwhile.
  if (rowCount === 0) throw new CheckpointMoved(projection);
}
