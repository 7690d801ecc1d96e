import { setTimeout as delay } from 'node:timers/promises';
import { Client, type ClientConfig, type CustomTypesConfig, types } from 'pg';

/** `date` as 'YYYY-MM-DD': a Date would shift it by the machine's zone. int8 and numeric stay text, exact. */
export const exactTypes: CustomTypesConfig = {
  getTypeParser: ((oid: number, format?: 'text' | 'binary') =>
    oid === types.builtins.DATE
      ? (text: string) => text
      : types.getTypeParser(oid, format)) as typeof types.getTypeParser,
};

/**
 * Ends a transaction whose process has stopped in the middle of it. Such a transaction holds up every reader of the
 * feed, and keepalives do not notice it, because the frozen process's kernel still answers them.
 */
export const STANDING_STILL = `set local idle_in_transaction_session_timeout = '15s'`;

/**
 * Settings of all connections: when a machine or the network vanishes, both ends notice within half a minute, and the
 * server releases the session's locks. With the systems' defaults the client would wait a quarter of an hour, the
 * server two hours. The time limits that an operator has set for the database are lifted, as long work exceeds them;
 * this service has limits of its own.
 */
export const CONNECTION = {
  connectionTimeoutMillis: 5_000,
  keepAlive: true,
  keepAliveInitialDelayMillis: 10_000,
  options:
    '-c tcp_keepalives_idle=10 -c tcp_keepalives_interval=5 -c tcp_keepalives_count=3 ' +
    '-c statement_timeout=0 -c idle_in_transaction_session_timeout=0',
} satisfies ClientConfig;

/**
 * Limits of connections with short statements: the server ends a statement after 10 s; if it does not, the driver gives
 * up after 15 s.
 */
export const SHORT_STATEMENTS: ClientConfig = {
  ...CONNECTION,
  statement_timeout: 10_000,
  query_timeout: 15_000,
};

const GOODBYE_MS = 1_000;

/** Closes a connection, and waits at most a second for a server that does not answer. */
export async function hangUp(client: Client): Promise<void> {
  await Promise.race([client.end(), delay(GOODBYE_MS, undefined, { ref: false })]);
}

/** Runs a few queries without a time limit on a connection of their own, and closes it. */
export async function withClient<Result>(
  url: string,
  work: (client: Client) => Promise<Result>,
): Promise<Result> {
  const client = new Client({ connectionString: url, ...CONNECTION });
  // A connection that breaks fails the query in hand; without a listener it would end the process.
  client.on('error', () => undefined);
  try {
    await client.connect();
    return await work(client);
  } finally {
    await hangUp(client);
  }
}
