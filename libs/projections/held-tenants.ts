import { Injectable } from '@nestjs/common';
import type { PoolClient } from 'pg';
import { Feed } from '#event-store/feed';
import { START } from '#event-store/position';
import { DomainError } from '#kernel/errors';
import type { RegisteredTenant } from '#platform/auth/tenants';
import { ReadDatabase } from '#platform/database';
import { CatchUp } from './catch-up';
import { CheckpointMoved, lockTracks, placeCheckpoint, raiseRevision } from './checkpoints';
import { EventNotApplied } from './event-not-applied';
import { liveModel, reachedIn, type Track } from './live-models';
import { recordParked } from './parking';
import type { Projection } from './projection';
import { Projections } from './projections';
import { ReachedPositions } from './reached-positions';
import { ABANDONED } from './rebuild/generation-tables';
import { unfinishedOf } from './rebuild/generations';
import { lockHolds, rebuildRunning } from './rebuild/rebuild-lock';

/**
 * Nobody can write to the tenant meanwhile. Events that are not shown by then stay hidden for as long as the tenant is
 * held.
 */
const SETTLE_MS = 15_000;

/** Makes the read models of a tenant stand still on purpose, in every process, until they are released. */
@Injectable()
export class HeldTenants {
  constructor(
    private readonly projections: Projections,
    private readonly feed: Feed,
    private readonly positions: ReachedPositions,
    private readonly catchUp: CatchUp,
    private readonly database: ReadDatabase,
  ) {}

  /**
   * Holds a tenant: once this has returned, no further event of the tenant is applied to any read model; events of
   * other tenants are. Reads show the last state. It waits up to 15 s for the read models to show earlier writes, so
   * the tenant should be closed to writes first. Holding a held tenant changes nothing.
   * @throws DomainError rebuild_running when a rebuild of all tenants, or of this one, is running or was left behind; a
   * projector resumes such a rebuild within seconds. Some read models may be held by then: try again, or release.
   */
  async hold(tenant: RegisteredTenant): Promise<void> {
    await this.settle(tenant);
    await this.holdEach(tenant, false);
  }

  /**
   * Holds a new tenant before its first event; `TenantFill.show` releases it.
   * @throws DomainError rebuild_running; read models that are held by then stay held, the others follow the tenant
   */
  holdNew(tenant: RegisteredTenant): Promise<void> {
    return this.holdEach(tenant, true);
  }

  /** Ids of the tenants that have been held since before their first event. */
  async newTenants(): Promise<number[]> {
    const { rows } = await this.database.pool.query<{ id: number }>(
      'select distinct tenant_id as id from read_model.held where is_new order by 1',
    );
    return rows.map(({ id }) => id);
  }

  /**
   * Releases every read model of the tenant. Each first applies the events that it has missed since the last event that
   * it shows; a read model that cannot is parked. May be interrupted and run again.
   */
  async release(tenant: RegisteredTenant): Promise<void> {
    for (const projection of this.projections.all) await this.releaseIn(projection, tenant);
  }

  private async holdEach(tenant: RegisteredTenant, isNew: boolean): Promise<void> {
    for (const projection of this.projections.all)
      await this.database.transaction((client) => holdIn(client, projection, tenant, isNew));
  }

  /**
   * Waits until the read models show the tenant's last event. Read models that were standing still before are not
   * waited for.
   */
  private async settle(tenant: RegisteredTenant): Promise<void> {
    const head = (await this.feed.heads()).get(tenant.partition);
    // The feed does not deliver the last event yet if an open transaction holds it back.
    const last = (await this.feed.latestOf(tenant, head ?? START)) ?? head;
    if (!last) return;
    try {
      await this.positions.reach(tenant, last, `the tenant's last event`, SETTLE_MS);
    } catch (error) {
      if (!(error instanceof DomainError)) throw error;
    }
  }

  private async releaseIn(projection: Projection, { id, partition }: RegisteredTenant): Promise<void> {
    for (;;) {
      const { held } = await liveModel(this.database.pool, projection.name);
      const track = held.find(({ tenantId }) => tenantId === id);
      if (!track) return;
      try {
        await this.catchUp.rejoin(projection, track, partition, (client) => lift(client, track));
      } catch (error) {
        if (error instanceof EventNotApplied) await this.park(track, error);
        // Otherwise another release is working on the same track.
        else if (!(error instanceof CheckpointMoved)) throw error;
      }
    }
  }

  private park({ projection, tenantId }: Track, failure: EventNotApplied): Promise<void> {
    return this.database.transaction(async (client) => {
      await lockTracks(client, projection);
      await unhold(client, projection, tenantId);
      await recordParked(client, projection, failure);
      await raiseRevision(client, projection);
    });
  }
}

async function holdIn(
  client: PoolClient,
  projection: Projection,
  { id, partition }: RegisteredTenant,
  isNew: boolean,
): Promise<void> {
  const { name } = projection;
  await lockHolds(client, name);
  // This waits for a batch that is being applied. The next batch finds another revision.
  await lockTracks(client, name);
  const { main, alone, parked, held } = await liveModel(client, name);
  if (held.some(({ tenantId }) => tenantId === id)) return;
  await refuseRebuild(client, projection, id);
  await client.query('insert into read_model.held (projection, tenant_id, is_new) values ($1, $2, $3)', [
    name,
    id,
    isNew,
  ]);
  if (![...alone, ...parked].some(({ tenantId }) => tenantId === id)) {
    const track = { projection: name, generation: main.generation, tenantId: id };
    await placeCheckpoint(client, track, partition, reachedIn(main, partition) ?? START);
  }
  await raiseRevision(client, name);
}

/** Refuses a rebuild in progress, which would show the tenant's events when it goes live. */
async function refuseRebuild(client: PoolClient, projection: Projection, tenantId: number): Promise<void> {
  const unfinished = await unfinishedOf(client, projection);
  if (!unfinished || unfinished.version === ABANDONED) return;
  if ([0, tenantId].includes(unfinished.tenantId)) throw rebuildRunning(projection.name);
}

/** Ends the hold. Also unparks the tenant, because the track has caught up. */
async function lift(client: PoolClient, { projection, tenantId }: Track): Promise<void> {
  await unhold(client, projection, tenantId);
  await client.query('delete from read_model.parked where projection = $1 and tenant_id = $2', [
    projection,
    tenantId,
  ]);
}

async function unhold(client: PoolClient, projection: string, tenantId: number): Promise<void> {
  const { rowCount } = await client.query(
    'delete from read_model.held where projection = $1 and tenant_id = $2',
    [projection, tenantId],
  );
  if (rowCount === 0) throw new CheckpointMoved(projection);
}
