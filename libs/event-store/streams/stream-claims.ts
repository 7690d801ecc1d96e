import type { ClientBase } from 'pg';
import { keyColumns, linkColumns, type ReservedKey, type StreamLink } from '#event-store/append/append-job';
import { toUuid } from '#kernel/ids';
import type { Refolded } from './stream-refold';

/** Links and natural keys of streams: rows of `event_store.links` and `reservations` without their tenant. */
export interface Claims {
  links: StreamLink[];
  keys: ReservedKey[];
}

/** Links and keys that a stream should have but lacks. `holder` is the stream that has the key instead. */
export interface Missing extends Claims {
  keys: (ReservedKey & { holder: string | null })[];
}

/** The links and natural keys that result from a stream's events. */
export function claimsOf({ streamId, definition, folded }: Refolded): Claims {
  if (!definition || !folded) return { links: [], keys: [] };
  const links = definition.links(folded.data);
  const keys = definition.keys(folded.data);
  return {
    links: links.map(({ target, kind }) => ({ target: toUuid(target), kind, source: streamId })),
    keys: keys.map(({ kind, key }) => ({ kind, key, stream: streamId })),
  };
}

/** UUID of the stream that a row belongs to. */
export function streamOf(row: StreamLink | ReservedKey): string {
  return 'source' in row ? row.source : row.stream;
}

/** The rows that do not result from the events of their streams. Streams with a fault are not judged. */
export function unfounded({ links, keys }: Claims, streams: readonly Refolded[]): Claims {
  const judged = new Set(streams.filter(({ fault }) => !fault).map(({ streamId }) => streamId));
  const claims = streams.map(claimsOf);
  const founded = new Set(claims.flatMap((claim) => [...claim.links.map(nameOf), ...claim.keys.map(nameOf)]));
  const isUnfounded = (row: StreamLink | ReservedKey) =>
    judged.has(streamOf(row)) && !founded.has(nameOf(row));
  return { links: links.filter(isUnfounded), keys: keys.filter(isUnfounded) };
}

function nameOf(row: StreamLink | ReservedKey): string {
  const name = 'source' in row ? [row.source, row.target, row.kind] : [row.stream, row.kind, row.key];
  return JSON.stringify(name);
}

// Looked up row by row, because the planner could choose a join that reads all rows of a tenant for one page.
const MISSING_LINKS = `
  select distinct e.target, e.kind, e.source from unnest($2::uuid[], $3::text[], $4::uuid[]) as e(target, kind, source)
  where (
    select l.source from event_store.links l
    where l.tenant_id = $1 and l.target = e.target and l.kind = e.kind and l.source = e.source
  ) is null`;

const MISSING_KEYS = `
  select distinct e.kind, e.key, e.stream, r.stream_id as holder
  from unnest($2::text[], $3::text[], $4::uuid[]) as e(kind, key, stream)
  left join lateral (
    select stream_id from event_store.reservations
    where tenant_id = $1 and kind = e.kind and key = e.key offset 0
  ) r on true
  where r.stream_id is distinct from e.stream`;

/** The links and keys that streams should have but lack, by stream. */
export async function missingOf(
  client: ClientBase,
  tenantId: number,
  streams: readonly Refolded[],
): Promise<Map<string, Missing>> {
  const missing = new Map<string, Missing>(
    streams.map(({ streamId }) => [streamId, { links: [], keys: [] }]),
  );
  const claims = streams.filter(({ fault }) => !fault).map(claimsOf);
  const links = linkColumns(claims.flatMap((claim) => claim.links));
  const keys = keyColumns(claims.flatMap((claim) => claim.keys));
  const linkRows = await client.query<StreamLink>(MISSING_LINKS, [tenantId, ...links]);
  const keyRows = await client.query<Missing['keys'][number]>(MISSING_KEYS, [tenantId, ...keys]);
  for (const row of linkRows.rows) missing.get(row.source)!.links.push(row);
  for (const row of keyRows.rows) missing.get(row.stream)!.keys.push(row);
  return missing;
}
