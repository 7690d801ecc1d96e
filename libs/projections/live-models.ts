import type { Pool } from 'pg';
import { type Position, parsePosition, START } from '#event-store/position';

/** The checkpoints of tenants of a read model that move together in one generation. */
export interface Track {
  projection: string;
  generation: number;
  /** 0: all tenants without a track of their own. */
  tenantId: number;
  /** Positions by partition. The track of one tenant has only that tenant's partition. */
  reached: Map<number, Position>;
}

/** The present state of a read model. */
export interface LiveModel {
  name: string;
  /** Changes whenever the tracks change. */
  revision: number;
  /** Version of the projection that built the read model; the newest one if tenants were rebuilt alone. */
  version: number;
  main: Track;
  /** Tenants that were rebuilt alone. */
  alone: Track[];
  /** Tenants that wait for an operator, because an event could not be applied. */
  parked: Track[];
  /** Tenants that stand still until they are released, whether or not they are also parked. */
  held: Track[];
  /** Ids of all tenants that the main track does not serve. */
  apart: ReadonlySet<number>;
}

/** A track's position in a partition. A main track is at the start of a partition that it has not read yet. */
export function reachedIn({ tenantId, reached }: Track, partition: number): Position | undefined {
  return reached.get(partition) ?? (tenantId === 0 ? START : undefined);
}

/** The track that serves a tenant. */
export function trackOf(model: LiveModel, tenantId: number): Track {
  return (
    [...model.alone, ...model.parked, ...model.held].find((track) => track.tenantId === tenantId) ??
    model.main
  );
}

interface TrackRow {
  projection: string;
  tenant_id: number;
  generation: number;
  /** The tenant is parked, or held. */
  parked: boolean;
  held: boolean;
  revision: number;
  version: number;
  partition: number | null;
  at: string;
}

const tracks = (which: string) =>
  `select t.projection, t.tenant_id, t.generation, t.parked, t.held, l.revision, g.version, c.partition,
     c.epoch || '.' || c.transaction_id || '.' || c.position as at
   from read_model.tracks t
   left join read_model.checkpoints c using (projection, generation, tenant_id)
   join read_model.live l on l.projection = t.projection and l.tenant_id = 0
   join read_model.generations g on g.projection = t.projection and g.generation = t.generation
   ${which}
   order by t.projection, t.tenant_id`;

/** All live read models by name. */
export async function liveModels(database: Pick<Pool, 'query'>): Promise<Map<string, LiveModel>> {
  return modelsOf((await database.query<TrackRow>(tracks(''))).rows);
}

/** One live read model. */
export async function liveModel(database: Pick<Pool, 'query'>, name: string): Promise<LiveModel> {
  const { rows } = await database.query<TrackRow>(tracks('where t.projection = $1'), [name]);
  return modelsOf(rows).get(name)!;
}

function modelsOf(rows: readonly TrackRow[]): Map<string, LiveModel> {
  const models = new Map<string, LiveModel & { apart: Set<number> }>();
  for (const row of rows) {
    const { projection, generation, tenant_id: tenantId } = row;
    let model = models.get(projection);
    if (!model) {
      // Tenant 0 comes first.
      const main = { projection, generation, tenantId, reached: new Map() };
      const apart = { alone: [], parked: [], held: [], apart: new Set<number>() };
      model = { name: projection, revision: row.revision, version: row.version, main, ...apart };
      models.set(projection, model);
    }
    model.version = Math.max(model.version, row.version);
    const track = tenantId === 0 ? model.main : ownTrack(model, row);
    if (row.partition !== null) track.reached.set(row.partition, parsePosition(row.at));
  }
  return models;
}

function ownTrack(model: LiveModel & { apart: Set<number> }, row: TrackRow): Track {
  const { projection, generation, tenant_id: tenantId } = row;
  model.apart.add(tenantId);
  const track = { projection, generation, tenantId, reached: new Map() };
  kindOf(model, row).push(track);
  return track;
}

function kindOf(model: LiveModel, { parked, held }: TrackRow): Track[] {
  if (held) return model.held;
  return parked ? model.parked : model.alone;
}
