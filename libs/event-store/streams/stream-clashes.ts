import type { ClientBase } from 'pg';
import { keyColumns } from '#event-store/append/append-job';
import { claimsOf } from './stream-claims';
import type { Refolded } from './stream-refold';

/** By stream: those of its natural keys that other streams (given by UUID) also claim. */
export type Clashes = Map<string, { kind: string; others: string[] }[]>;

/**
 * Finds natural keys that several streams claim. All claims go into a temporary table, because they may not fit into
 * memory.
 */
export async function clashesAmong(
  client: ClientBase,
  pages: AsyncIterable<{ stream: Refolded }[]>,
): Promise<Clashes> {
  await client.query('create temp table if not exists claimed (kind text, key text, stream_id uuid)');
  await client.query('truncate claimed');
  for await (const page of pages) {
    const keys = keyColumns(page.flatMap(({ stream }) => claimsOf(stream).keys));
    await client.query('insert into claimed select * from unnest($1::text[], $2::text[], $3::uuid[])', keys);
  }
  const { rows } = await client.query<{ kind: string; streams: string[] }>(
    `select kind, array_agg(distinct stream_id::text) as streams from claimed
     group by kind, key having count(distinct stream_id) > 1`,
  );
  const clashes: Clashes = new Map();
  for (const { kind, streams } of rows) {
    for (const stream of streams) {
      const others = streams.filter((other) => other !== stream);
      clashes.set(stream, [...(clashes.get(stream) ?? []), { kind, others }]);
    }
  }
  return clashes;
}
