import { ConnectionPool, type config, NVarChar, type Request } from 'mssql';

/** A pool of one connection, like the importer's. */
export async function connect(
  connectionString: string,
  { ca, ...more }: Partial<config> & { ca?: string } = {},
): Promise<ConnectionPool> {
  const parsed = ConnectionPool.parseConnectionString(connectionString) as config;
  const pool = new ConnectionPool({
    ...parsed,
    pool: { max: 1 },
    ...more,
    options: {
      ...parsed.options,
      // mssql reads `strict` in a connection string as `true`.
      ...(/;Encrypt=strict(;|$)/.test(connectionString) && { encrypt: 'strict' as unknown as boolean }),
      ...more.options,
      ...(ca && { cryptoCredentialsDetails: { ca } }),
    },
  });
  pool.on('error', () => {}); // reported by the request that fails
  try {
    return await pool.connect();
  } catch (error) {
    await pool.close();
    throw error;
  }
}

export type Row = (string | null)[];

/** A query whose rows arrive one by one, as arrays. */
export function streamed(
  pool: ConnectionPool,
  sql: string,
  values: Record<string, string> = {},
): { request: Request; done: Promise<void>; run(onRow: (row: Row) => void): Promise<void> } {
  const request = pool.request();
  request.stream = true;
  request.arrayRowMode = true;
  for (const [name, value] of Object.entries(values)) request.input(name, NVarChar, value);
  const done = new Promise<void>((resolve, reject) => {
    request.on('error', reject);
    request.on('done', () => resolve());
  });
  done.catch(() => {});
  const run = (onRow: (row: Row) => void) => {
    request.on('row', (row) => onRow(row as unknown as Row));
    void request.query(sql);
    return done;
  };
  return { request, done, run };
}

export async function rowsOf(
  pool: ConnectionPool,
  sql: string,
  values?: Record<string, string>,
): Promise<Row[]> {
  const rows: Row[] = [];
  await streamed(pool, sql, values).run((row) => rows.push(row));
  return rows;
}
