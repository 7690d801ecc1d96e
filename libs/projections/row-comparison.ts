import type { Client } from 'pg';
import type { ReadTable } from './projection';

const FETCH = 5_000;

/** One tenant's rows in one of two places. */
export interface Side {
  /** With an open transaction. */
  client: Client;
  /** A table and a condition, from code. */
  from: string;
  where: string;
}

export interface Difference {
  /** What names the row in its table and tenant. */
  key: string;
  problem: 'differs from the events' | 'missing' | 'not in the events';
  /** Names of the columns that differ, never what they hold. */
  columns: string[];
}

interface Digest {
  key: string[];
  stream: string;
  digest: string;
}

/**
 * Walks through both sides in the order of their keys.
 * @param shown what readers see
 * @param told what the events say
 * @param ignored streams whose rows are left out
 * @returns how many rows were looked at
 */
export async function compareRows(
  table: ReadTable,
  { shown, told }: { shown: Side; told: Side },
  ignored: ReadonlySet<string>,
  found: (difference: Difference) => void,
): Promise<number> {
  const [left, right] = [digests(table, shown, ignored), digests(table, told, ignored)];
  const next = async (side: AsyncGenerator<Digest>) => (await side.next()).value as Digest | undefined;
  let [a, b] = await Promise.all([next(left), next(right)]);
  let rows = 0;
  for (; a || b; rows++) {
    const order = !a ? 1 : !b ? -1 : compareKeys(a.key, b.key);
    const key = (order <= 0 ? a! : b!).key;
    if (order < 0) found({ key: key.join('/'), problem: 'not in the events', columns: [] });
    else if (order > 0) found({ key: key.join('/'), problem: 'missing', columns: [] });
    else if (a!.digest !== b!.digest) {
      const columns = differing(await rowOf(table, shown, key), await rowOf(table, told, key));
      found({ key: key.join('/'), problem: 'differs from the events', columns });
    }
    if (order <= 0) a = await next(left);
    if (order >= 0) b = await next(right);
  }
  return rows;
}

async function* digests(
  table: ReadTable,
  { client, from, where }: Side,
  ignored: ReadonlySet<string>,
): AsyncGenerator<Digest> {
  await client.query(
    `declare digests no scroll cursor for
     select array[${keysOf(table)}] as key, ${table.stream}::text as stream,
       md5(row(${Object.keys(table.columns).join(', ')})::text) as digest
     from ${from} where ${where} order by ${keysOf(table)}`,
  );
  for (let count = FETCH; count === FETCH; ) {
    const { rows } = await client.query<Digest>(`fetch ${FETCH} from digests`);
    count = rows.length;
    for (const row of rows) if (!ignored.has(row.stream)) yield row;
  }
  await client.query('close digests');
}

/** A row's key within its tenant, as texts that sort by their bytes. */
function keysOf({ key }: ReadTable): string {
  return key
    .slice(1)
    .map((name) => `${name}::text collate "C"`)
    .join(', ');
}

function compareKeys(a: string[], b: string[]): number {
  const at = a.findIndex((part, index) => part !== b[index]);
  return at < 0 ? 0 : Buffer.compare(Buffer.from(a[at]), Buffer.from(b[at]));
}

async function rowOf(table: ReadTable, { client, from, where }: Side, key: string[]) {
  const names = table.key.slice(1).map((name, index) => `${name}::text = $${index + 1}`);
  const { rows } = await client.query<{ row: Record<string, unknown> }>(
    `select to_jsonb(t) - 'generation' as row from ${from} t where ${where} and ${names.join(' and ')}`,
    key,
  );
  return rows[0].row;
}

function differing(shown: Record<string, unknown>, told: Record<string, unknown>): string[] {
  return Object.keys(told).filter((name) => JSON.stringify(shown[name]) !== JSON.stringify(told[name]));
}
