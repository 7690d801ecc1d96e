import type { ClientBase } from 'pg';
import { parsePosition } from '#event-store/position';
import { physicalTables } from '../derived-tables';
import type { Track } from '../live-models';
import type { Projection } from '../projection';
import { ABANDONED, dropGeneration, generationTable } from './generation-tables';

const CHUNK_ROWS = 10_000;

/** A generation that is being built, with the state that is needed to resume the build after a crash. */
export interface Unfinished {
  generation: number;
  /** 0: all tenants. */
  tenantId: number;
  version: number;
  /** The tables hold every stream as it was at the generation's first checkpoints. */
  filled: boolean;
  /** The last stream that the tables hold. */
  filledTenant: number | null;
  filledStream: string | null;
  events: number;
}

/** A projection's generation that is being built. */
export interface Started {
  projection: Projection;
  unfinished: Unfinished;
}

/** The generation that a rebuild has left behind or is building: newer than every live one. */
export async function unfinishedOf(
  client: ClientBase,
  { name }: Projection,
): Promise<Unfinished | undefined> {
  const { rows } = await client.query<Unfinished>(
    `select generation, tenant_id as "tenantId", version, filled, filled_tenant as "filledTenant",
       filled_stream as "filledStream", events::float8 as events
     from read_model.generations
     where projection = $1 and generation > (select max(generation) from read_model.live where projection = $1)`,
    [name],
  );
  return rows[0];
}

/** The track that will serve a generation, with its present checkpoints. */
export async function trackOfGeneration(
  client: ClientBase,
  { name }: Projection,
  { generation, tenantId }: Unfinished,
): Promise<Track> {
  const { rows } = await client.query<{ partition: number; at: string }>(
    `select partition, epoch || '.' || transaction_id || '.' || position as at from read_model.checkpoints
     where projection = $1 and generation = $2 and tenant_id = $3`,
    [name, generation, tenantId],
  );
  const reached = new Map(rows.map(({ partition, at }) => [partition, parsePosition(at)]));
  return { projection: name, generation, tenantId, reached };
}

/**
 * Whether a generation serves the tenants. The generation's number alone does not identify it, because the number of a
 * dropped generation is used again.
 */
export async function isLive(
  client: ClientBase,
  { name }: Projection,
  generation: number,
  tenantId: number,
): Promise<boolean> {
  const { rows } = await client.query(
    'select from read_model.live where projection = $1 and generation = $2 and tenant_id = $3',
    [name, generation, tenantId],
  );
  return rows.length > 0;
}

/** Makes a generation live, in a transaction that has locked the projection's row in `live`. */
export async function flip(
  client: ClientBase,
  { name }: Projection,
  { generation, tenantId }: Unfinished,
): Promise<void> {
  if (tenantId === 0) {
    await client.query('delete from read_model.parked where projection = $1', [name]);
    await client.query('delete from read_model.live where projection = $1 and tenant_id <> 0', [name]);
  } else {
    await client.query('delete from read_model.parked where projection = $1 and tenant_id = $2', [
      name,
      tenantId,
    ]);
    await client.query(
      `delete from read_model.checkpoints c using read_model.live l
       where l.projection = $1 and l.tenant_id = 0
         and c.projection = $1 and c.generation = l.generation and c.tenant_id = $2`,
      [name, tenantId],
    );
  }
  await client.query(
    `insert into read_model.live (projection, tenant_id, generation) values ($1, $2, $3)
     on conflict (projection, tenant_id) do update set generation = excluded.generation`,
    [name, tenantId, generation],
  );
}

/**
 * Removes what nobody reads any more: replaced and abandoned generations, and rows of tenants that have a generation of
 * their own.
 */
export async function sweep(client: ClientBase, projection: Projection): Promise<void> {
  const { name } = projection;
  const replaced = await client.query<{ generation: number }>(
    `select generation from read_model.generations
     where projection = $1 and generation not in (select generation from read_model.live where projection = $1)
       and (version = $2 or generation < (select max(generation) from read_model.live where projection = $1))
     order by generation`,
    [name, ABANDONED],
  );
  for (const { generation } of replaced.rows) await dropGeneration(client, projection, generation);

  const alone = await client.query<{ tenant: number; main: number }>(
    `select o.tenant_id as tenant, m.generation as main from read_model.live o
     join read_model.live m on m.projection = o.projection and m.tenant_id = 0
     where o.projection = $1 and o.tenant_id <> 0`,
    [name],
  );
  for (const { tenant, main } of alone.rows) await deleteTenant(client, projection, main, tenant);
}

/** Removes a tenant's rows from a generation, in transactions that take a fraction of a second. */
export async function deleteTenant(
  client: ClientBase,
  projection: Projection,
  generation: number,
  tenantId: number,
): Promise<void> {
  for (const table of physicalTables(projection)) {
    const own = generationTable(table, generation);
    for (let deleted = CHUNK_ROWS; deleted === CHUNK_ROWS; ) {
      const { rowCount } = await client.query(
        `delete from ${own} where ctid = any(array(
           select ctid from ${own} where generation = $1 and tenant_id = $2 limit $3))`,
        [generation, tenantId, CHUNK_ROWS],
      );
      deleted = rowCount ?? 0;
    }
  }
}
