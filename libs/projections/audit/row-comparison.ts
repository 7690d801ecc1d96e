import type { Client } from 'pg';
import type { ReadTable } from '../projection';

const FETCH = 5_000;

/** One tenant's rows on one side of the comparison. */
export interface Side {
  /** A connection with an open transaction. */
  client: Client;
  /** A table and a condition, both from code, never from a request. */
  from: string;
  where: string;
}

export interface Difference {
  /** The row's key within its table and tenant. */
  key: string;
  problem: 'differs from the events' | 'missing' | 'not in the events';
  /** Returns the names of the columns that differ, never their values. */
  columns(): Promise<string[]>;
}

export interface Compared {
  rows: number;
  /** Number of left-out rows of the side `shown`. */
  leftOut: number;
}

/** The two sides of a comparison. */
export interface Comparison {
  table: ReadTable;
  columns: readonly string[];
  /** The rows that readers see. */
  shown: Side;
  /** The rows that result from the events. */
  told: Side;
  /** Returns those of the given streams whose rows are left out. */
  ignored(streams: string[]): Promise<ReadonlySet<string>>;
}

interface Digest {
  key: string[];
  stream: string;
  digest: string;
}

/** Reads both sides in the order of their keys, a few thousand rows of each at a time. */
export async function compareRows(
  comparison: Comparison,
  found: (difference: Difference) => Promise<void>,
): Promise<Compared> {
  const { shown, told } = comparison;
  const result = { rows: 0, leftOut: 0 };
  const left = digests(comparison, shown, () => result.leftOut++);
  const right = digests(comparison, told, () => undefined);
  const next = async (side: AsyncGenerator<Digest>) => (await side.next()).value as Digest | undefined;
  let [a, b] = await Promise.all([next(left), next(right)]);
  for (; a || b; result.rows++) {
    const order = !a ? 1 : !b ? -1 : compareKeys(a.key, b.key);
    const key = (order <= 0 ? a! : b!).key;
    const name = key.join('/');
    if (order < 0) await found({ key: name, problem: 'not in the events', columns: async () => [] });
    else if (order > 0) await found({ key: name, problem: 'missing', columns: async () => [] });
    else if (a!.digest !== b!.digest) {
      const columns = () => differing(comparison, key);
      await found({ key: name, problem: 'differs from the events', columns });
    }
    if (order <= 0) a = await next(left);
    if (order >= 0) b = await next(right);
  }
  return result;
}

async function* digests(
  { table, columns, ignored }: Comparison,
  { client, from, where }: Side,
  leaveOut: () => void,
): AsyncGenerator<Digest> {
  await client.query(
    `declare digests no scroll cursor for
     select array[${keysOf(table)}] as key, ${table.stream}::text as stream,
       md5(row(${columns.map((name) => comparable(table, name)).join(', ')})::text) as digest
     from ${from} where ${where} order by ${keysOf(table)}`,
  );
  for (let count = FETCH; count === FETCH; ) {
    const { rows } = await client.query<Digest>(`fetch ${FETCH} from digests`);
    count = rows.length;
    const left = await ignored(rows.map(({ stream }) => stream));
    for (const row of rows) {
      if (left.has(row.stream)) leaveOut();
      else yield row;
    }
  }
  await client.query('close digests');
}

/** SQL of a column in a form that can be compared: the order of the fields in a JSON document does not matter. */
function comparable({ columns }: ReadTable, name: string): string {
  return columns[name] === 'json' ? `${name}::jsonb` : name;
}

/** A row's key within its tenant, as texts that sort bytewise. */
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

async function differing(
  { table, columns, shown, told }: Comparison,
  key: readonly string[],
): Promise<string[]> {
  const [seen, expected] = await Promise.all(
    [shown, told].map(async ({ client, from, where }) => {
      const named = table.key.slice(1).map((name, index) => `${name} = $${index + 1}`);
      const { rows } = await client.query<{ texts: (string | null)[] }>(
        `select array[${columns.map((name) => `${comparable(table, name)}::text`).join(', ')}] as texts
         from ${from} where ${where} and ${named.join(' and ')}`,
        [...key],
      );
      return rows[0].texts;
    }),
  );
  return columns.filter((_, index) => seen[index] !== expected[index]);
}
