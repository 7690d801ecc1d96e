import type { ClientBase, Pool } from 'pg';
import { type Position, printPosition, START } from '#event-store/position';
import { reachedIn, type Track } from './live-models';

/**
 * The consumer's checkpoint is not where the consumer believed. The consumer must not commit, and must reload the
 * tracks.
 */
export class CheckpointMoved extends Error {
  constructor(projection: string) {
    super(`The checkpoint of ${projection} was moved by another consumer, or its tracks have changed`);
  }
}

export interface CheckpointMove {
  track: Track;
  /** The read model's revision as the consumer knows it; null for a generation that is not live. */
  revision: number | null;
  partition: number;
  from: Position;
  to: Position;
}

/** The moves of a track to the last of the given events in each partition. */
export function movesTo(
  track: Track,
  revision: number | null,
  events: readonly { partition: number; at: Position }[],
): CheckpointMove[] {
  const last = new Map(events.map(({ partition, at }) => [partition, at]));
  return [...last].map(([partition, to]) => ({
    track,
    revision,
    partition,
    from: reachedIn(track, partition) ?? START,
    to,
  }));
}

/** Updates the caller's tracks after its transaction was committed. */
export function moved(moves: readonly CheckpointMove[]): void {
  for (const { track, partition, to } of moves) track.reached.set(partition, to);
}

/**
 * Moves checkpoints if each is where the caller believes. Until the transaction ends, no read model among them changes
 * its tracks: a change of tracks first locks the row in `live` exclusively.
 * @param flush whether the commit waits for the disk. Without it a crash of the server may undo the last moves,
 * together with the rows that were written with them. That is for callers that then resume from the stored checkpoint,
 * and that have not reported anything as done
 * @throws CheckpointMoved when a checkpoint or its read model's revision differs; the transaction must then be rolled
 * back
 */
export async function moveCheckpoints(
  client: ClientBase | Pool,
  moves: readonly CheckpointMove[],
  { flush } = { flush: true },
): Promise<void> {
  const start = printPosition(START);
  const { rowCount } = await client.query({
    name: 'projections.checkpoint',
    text: `
      with moves as (
        select m.* from unnest($1::text[], $2::int[], $3::int[], $4::int[], $5::smallint[], $6::text[], $7::text[])
          m(projection, generation, tenant_id, revision, partition, from_at, to_at)
        join read_model.live l on l.projection = m.projection and l.tenant_id = 0
          and l.revision = coalesce(m.revision, l.revision)
        order by l.projection for key share of l
      ), begun as (
        insert into read_model.checkpoints
          (projection, generation, tenant_id, partition, epoch, transaction_id, position)
        select projection, generation, tenant_id, partition,
          split_part(to_at, '.', 1)::int, split_part(to_at, '.', 2)::xid8, split_part(to_at, '.', 3)::bigint
        from moves where from_at = '${start}'
        on conflict do nothing
        returning 1
      ), moved as (
        update read_model.checkpoints c
        set epoch = split_part(to_at, '.', 1)::int, transaction_id = split_part(to_at, '.', 2)::xid8,
          position = split_part(to_at, '.', 3)::bigint, updated_at = now()
        from moves m
        where (c.projection, c.generation, c.tenant_id, c.partition)
            = (m.projection, m.generation, m.tenant_id, m.partition)
          and c.epoch || '.' || c.transaction_id || '.' || c.position = m.from_at
        returning 1
      )
      select case when not $8::boolean then set_config('synchronous_commit', 'off', true) end
      from (select from begun union all select from moved) of_all`,
    values: [
      moves.map(({ track }) => track.projection),
      moves.map(({ track }) => track.generation),
      moves.map(({ track }) => track.tenantId),
      moves.map(({ revision }) => revision),
      moves.map(({ partition }) => partition),
      moves.map(({ from }) => printPosition(from)),
      moves.map(({ to }) => printPosition(to)),
      flush,
    ],
  });
  if (rowCount !== moves.length)
    throw new CheckpointMoved([...new Set(moves.map(({ track }) => track.projection))].join(', '));
}

/** Sets the checkpoint from which a track moves separately from others, wherever it was before. */
export async function placeCheckpoint(
  client: ClientBase,
  { projection, generation, tenantId }: Omit<Track, 'reached'>,
  partition: number,
  { epoch, transactionId, position }: Position,
): Promise<void> {
  await client.query(
    `insert into read_model.checkpoints
       (projection, generation, tenant_id, partition, epoch, transaction_id, position)
     values ($1, $2, $3, $4, $5, $6::xid8, $7)
     on conflict (projection, generation, partition, tenant_id) do update
       set epoch = excluded.epoch, transaction_id = excluded.transaction_id, position = excluded.position`,
    [projection, generation, tenantId, partition, epoch, transactionId.toString(), position.toString()],
  );
}

/**
 * Locks the tracks of a read model: until the transaction ends nobody else moves or changes them.
 * @returns the read model's revision
 */
export async function lockTracks(client: ClientBase, projection: string): Promise<number> {
  const { rows } = await client.query<{ revision: number }>(
    'select revision from read_model.live where projection = $1 and tenant_id = 0 for update',
    [projection],
  );
  return rows[0].revision;
}

/** Locks the tracks of several read models. All callers lock several in the order of their names. */
export async function lockAllTracks(client: ClientBase, projections: readonly string[]): Promise<void> {
  await client.query(
    `select from read_model.live where projection = any($1) and tenant_id = 0 order by projection for update`,
    [projections],
  );
}

/** Makes all consumers of the read model reload its tracks. The caller has locked the tracks. */
export async function raiseRevision(client: ClientBase, projection: string): Promise<void> {
  await client.query(
    'update read_model.live set revision = revision + 1 where projection = $1 and tenant_id = 0',
    [projection],
  );
}
