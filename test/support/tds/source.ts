import { randomBytes } from 'node:crypto';
import { ConnectionPool, type config, NVarChar } from 'mssql';
import { Client } from 'pg';
import { schemaScript } from '#import/schema/t-sql';
import { type SourceColumn, sourceColumns } from './source-columns';
import { TdsServer } from './tds-server';

/** A customer's database that the importer can read. */
export interface Source {
  readonly connectionString: string;
  /** Certificate authority to trust, PEM; undefined when the system's authorities suffice. */
  readonly caCertificate?: string;
  /** Undefined for a real SQL Server, which cannot be told to fail. */
  readonly server?: TdsServer;
  close(): Promise<void>;
}

/**
 * Serves the tables of a PostgreSQL database's schema `etl` as a SQL Server: the one of MSSQL_URL (a connection string
 * whose login may create databases), to which they are copied, otherwise a {@link TdsServer}.
 */
export async function sourceFor(database: string): Promise<Source> {
  const given = process.env.MSSQL_URL;
  if (given) return copied(database, given);
  const server = await TdsServer.start({ database });
  return {
    server,
    connectionString: server.connectionString(),
    caCertificate: server.caCertificate,
    close: () => server.close(),
  };
}

async function copied(database: string, given: string): Promise<Source> {
  const name = `practice_source_${randomBytes(8).toString('hex')}`;
  const admin = await new ConnectionPool(given).connect();
  await admin.batch(`create database [${name}]`);
  const close = async () => {
    await admin.batch(
      `alter database [${name}] set single_user with rollback immediate; drop database [${name}]`,
    );
    await admin.close();
  };
  const others = given.replaceAll(/(^|;)\s*(database|initial catalog)\s*=[^;]*/gi, '').replace(/;\s*$/, '');
  const connectionString = `${others};Database=${name}`;
  try {
    const { database: used } = ConnectionPool.parseConnectionString(connectionString) as config;
    if (used !== name)
      throw new Error('The database that MSSQL_URL names could not be replaced by a new one');
    await fill(connectionString, database);
  } catch (error) {
    await close();
    throw error;
  }
  return { connectionString, close };
}

async function fill(connectionString: string, database: string): Promise<void> {
  const pool = await new ConnectionPool(connectionString).connect();
  const client = new Client(database);
  try {
    await client.connect();
    for (const batch of schemaScript().split(/^GO$/m)) await pool.batch(batch);
    const columns = await sourceColumns(client, {});
    for (const table of new Set(columns.map((one) => one.table)))
      await copyTable(
        pool,
        client,
        columns.filter((one) => one.table === table),
      );
  } finally {
    await Promise.all([client.end(), pool.close()]);
  }
}

/** Inserts as many rows per statement as the limit of parameters allows. SQL Server converts the texts to its types. */
async function copyTable(pool: ConnectionPool, client: Client, columns: SourceColumn[]): Promise<void> {
  const mostParameters = 2000;
  const [{ table }] = columns;
  const values = columns.map((column) =>
    column.rendered({ name: '', column: '', length: 'max', isIso: true }),
  );
  await client.query('begin');
  await client.query(
    `declare source_rows cursor for select ${values.join(', ')} from etl.${client.escapeIdentifier(table)}`,
  );
  for (;;) {
    const rowsAtATime = Math.floor(mostParameters / columns.length);
    const text = `fetch ${rowsAtATime} from source_rows`;
    const { rows } = await client.query<(string | null)[]>({ text, rowMode: 'array' });
    if (rows.length === 0) break;
    const request = pool.request();
    const tuples = rows.map((row, at) => {
      const names = row.map((value, index) => {
        request.input(`v${at}_${index}`, NVarChar, value);
        return `@v${at}_${index}`;
      });
      return `(${names.join(', ')})`;
    });
    const list = columns.map(({ name }) => `[${name}]`).join(', ');
    await request.query(`insert into [etl].[${table}] (${list}) values ${tuples.join(', ')}`);
  }
  await client.query('commit');
}
