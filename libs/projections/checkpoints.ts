import type { ClientBase, Pool } from 'pg';
import { type Position, parsePosition, printPosition, START } from '#event-store/position';

/** The consumer no longer stands where it believed: whoever gets this must not commit, and must look again. */
export class CheckpointMoved extends Error {
  constructor(projection: string) {
    super(`The checkpoint of ${projection} was moved by another consumer, or its generation replaced`);
  }
}

export interface CheckpointMove {
  projection: string;
  generation: number;
  partition: number;
  from: Position;
  to: Position;
}

/** A read model's live generation, and how far it has come; partitions that are missing stand at the start. */
export interface LiveGeneration {
  generation: number;
  reached: Map<number, Position>;
}

/** Every read model by its name. */
export async function liveGenerations(pool: Pool): Promise<Map<string, LiveGeneration>> {
  const { rows } = await pool.query<{
    projection: string;
    generation: number;
    partition: number | null;
    at: string;
  }>(
    `select l.projection, l.generation, c.partition, c.epoch || '.' || c.transaction_id || '.' || c.position as at
     from read_model.live l
     left join read_model.checkpoints c on c.projection = l.projection and c.generation = l.generation
     where l.tenant_id = 0`,
  );
  const generations = new Map<string, LiveGeneration>();
  for (const { projection, generation, partition, at } of rows) {
    const live = generations.get(projection) ?? { generation, reached: new Map() };
    if (partition !== null) live.reached.set(partition, parsePosition(at));
    generations.set(projection, live);
  }
  return generations;
}

/**
 * Moves checkpoints, comparing each with what the caller believes. Until the transaction ends none of their generations
 * is replaced: a flip locks the row of `live` for itself before it touches anything.
 * @throws CheckpointMoved when one differs, or its generation is older than the live one; the transaction must then be
 *   rolled back
 */
export async function moveCheckpoints(client: ClientBase | Pool, moves: CheckpointMove[]): Promise<void> {
  const start = printPosition(START);
  const { rowCount } = await client.query({
    name: 'projections.checkpoint',
    text: `
      with moves as (
        select m.* from unnest($1::text[], $2::int[], $3::smallint[], $4::text[], $5::text[])
          m(projection, generation, partition, from_at, to_at)
        join read_model.live l on l.projection = m.projection and l.tenant_id = 0 and l.generation <= m.generation
        for key share of l
      ), begun as (
        insert into read_model.checkpoints (projection, generation, partition, epoch, transaction_id, position)
        select projection, generation, partition,
          split_part(to_at, '.', 1)::int, split_part(to_at, '.', 2)::xid8, split_part(to_at, '.', 3)::bigint
        from moves where from_at = '${start}'
        on conflict do nothing
        returning 1
      ), moved as (
        update read_model.checkpoints c
        set epoch = split_part(to_at, '.', 1)::int, transaction_id = split_part(to_at, '.', 2)::xid8,
          position = split_part(to_at, '.', 3)::bigint, updated_at = now()
        from moves m
        where (c.projection, c.generation, c.partition) = (m.projection, m.generation, m.partition)
          and c.epoch || '.' || c.transaction_id || '.' || c.position = m.from_at
        returning 1
      )
      select 1 from begun union all select 1 from moved`,
    values: [
      moves.map(({ projection }) => projection),
      moves.map(({ generation }) => generation),
      moves.map(({ partition }) => partition),
      moves.map(({ from }) => printPosition(from)),
      moves.map(({ to }) => printPosition(to)),
    ],
  });
  if (rowCount !== moves.length)
    throw new CheckpointMoved([...new Set(moves.map((m) => m.projection))].join(', '));
}
