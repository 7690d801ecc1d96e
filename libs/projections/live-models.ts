import type { Pool } from 'pg';
import { type Position, parsePosition, START } from '#event-store/position';

/** Tenants of a read model that move together, and how far they have come in its generation. */
export interface Track {
  projection: string;
  generation: number;
  /** 0: every tenant that has no track of its own. */
  tenantId: number;
  /** By partition; the track of one tenant has that tenant's partition only. */
  reached: Map<number, Position>;
}

/** What a read model consists of now. */
export interface LiveModel {
  name: string;
  /** Changes whenever the tracks do. */
  revision: number;
  /** Version of the projection that has built it; the newest where tenants were rebuilt alone. */
  version: number;
  main: Track;
  /** Tenants that were rebuilt alone. */
  alone: Track[];
  /** Tenants that wait for an operator. */
  parked: Track[];
  /** Tenants that stand still until they are released, whether they wait for an operator or not. */
  held: Track[];
  /** All that the main track does not serve. */
  apart: ReadonlySet<number>;
}

/** How far a track has come in a partition: a main track stands at the start of one that it has not touched. */
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
  /** Or held. */
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

/** Every read model by its name. */
export async function liveModels(database: Pick<Pool, 'query'>): Promise<Map<string, LiveModel>> {
  return modelsOf((await database.query<TrackRow>(tracks(''))).rows);
}

/** One of them. */
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
