import type { ClientBase } from 'pg';
import type { Cursor } from '#event-store/feed';
import { comparePositions, type Position, parsePosition, printPosition, START } from '#event-store/position';

/** Another consumer has taken the partition: a caller that catches this must not commit. */
export class FanOutMoved extends Error {}

/** The cursor of each of these partitions. */
export async function fanOutCursors(
  client: Pick<ClientBase, 'query'>,
  partitions: readonly number[],
): Promise<Cursor[]> {
  const { rows } = await client.query<{ partition: number; at: string }>(
    `select partition, epoch || '.' || transaction_id || '.' || position as at
     from webhooks.checkpoints where partition = any($1)`,
    [partitions],
  );
  const known = new Map(rows.map(({ partition, at }) => [partition, parsePosition(at)]));
  return partitions.map((partition) => ({ partition, after: known.get(partition) ?? START }));
}

/**
 * Moves checkpoints from where the caller believes that they stand.
 * @throws FanOutMoved when a checkpoint stands elsewhere; the caller must then roll back the transaction
 */
export async function moveFanOut(
  client: Pick<ClientBase, 'query'>,
  moves: readonly { partition: number; from: Position; to: Position }[],
): Promise<void> {
  const start = printPosition(START);
  const { rowCount } = await client.query({
    name: 'webhooks.checkpoint',
    text: `
      with moves as (
        select * from unnest($1::smallint[], $2::text[], $3::text[]) m(partition, from_at, to_at)
      ), begun as (
        insert into webhooks.checkpoints (partition, epoch, transaction_id, position)
        select partition, split_part(to_at, '.', 1)::int, split_part(to_at, '.', 2)::xid8,
          split_part(to_at, '.', 3)::bigint
        from moves where from_at = '${start}' on conflict do nothing returning 1
      ), moved as (
        update webhooks.checkpoints c
        set epoch = split_part(to_at, '.', 1)::int, transaction_id = split_part(to_at, '.', 2)::xid8,
          position = split_part(to_at, '.', 3)::bigint, updated_at = now()
        from moves m
        where c.partition = m.partition and c.epoch || '.' || c.transaction_id || '.' || c.position = m.from_at
        returning 1
      )
      select 1 from begun union all select 1 from moved`,
    values: [
      moves.map(({ partition }) => partition),
      moves.map(({ from }) => printPosition(from)),
      moves.map(({ to }) => printPosition(to)),
    ],
  });
  if (rowCount !== moves.length)
    throw new FanOutMoved('A checkpoint of the webhooks was moved by another worker');
}

const HOUR_MS = 3_600_000;

/**
 * Stores the position behind which the events of an hour begin, so that they can be found by time. An hour that is
 * earlier than a stored one (demo data has such events) is not stored: events recorded since then stand before it.
 */
export async function markHours(
  client: Pick<ClientBase, 'query'>,
  hours: readonly { partition: number; hour: Date; behind: Position }[],
): Promise<void> {
  if (hours.length === 0) return;
  await client.query(
    `insert into webhooks.hours (partition, hour, epoch, transaction_id, position)
     select partition, hour, split_part(at, '.', 1)::int, split_part(at, '.', 2)::xid8, split_part(at, '.', 3)::bigint
     from unnest($1::smallint[], $2::timestamptz[], $3::text[]) h(partition, hour, at)
     where not exists (select from webhooks.hours l where l.partition = h.partition and l.hour > h.hour)
     on conflict do nothing`,
    [
      hours.map(({ partition }) => partition),
      hours.map(({ hour }) => hour),
      hours.map(({ behind }) => printPosition(behind)),
    ],
  );
}

export function hourOf(instant: Date): Date {
  return new Date(Math.floor(instant.getTime() / HOUR_MS) * HOUR_MS);
}

/** A position of the partition; all events that were recorded since an instant stand behind it. */
export async function positionAt(
  client: Pick<ClientBase, 'query'>,
  partition: number,
  since: Date,
): Promise<Position> {
  const { rows } = await client.query<{ at: string }>(
    `select epoch || '.' || transaction_id || '.' || position as at from webhooks.hours
     where partition = $1 and hour <= $2 order by hour desc limit 1`,
    [partition, hourOf(since)],
  );
  return rows.length > 0 ? parsePosition(rows[0].at) : START;
}

export function later(a: Position, b: Position): Position {
  return comparePositions(a, b) >= 0 ? a : b;
}
