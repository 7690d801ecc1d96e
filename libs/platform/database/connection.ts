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
 * server two hours.
 */
const CONNECTION = {
  connectionTimeoutMillis: 5_000,
  keepAlive: true,
  keepAliveInitialDelayMillis: 10_000,
} satisfies ClientConfig;

/**
 * The same on the server's side. The time limits that an operator has set for the database are lifted, as long work
 * exceeds them, and connections of a quiet service stay idle; this service has limits of its own. So are other settings that would give statements another meaning:
 * the driver reads dates as ISO 8601 writes them, arrays have nulls, and whoever has waited for a lock must see what was
 * committed meanwhile.
 */
const OPTIONS = [
  '-c tcp_keepalives_idle=10 -c tcp_keepalives_interval=5 -c tcp_keepalives_count=3',
  '-c statement_timeout=0 -c lock_timeout=0 -c idle_in_transaction_session_timeout=0',
  '-c idle_session_timeout=0 -c transaction_timeout=0',
  '-c datestyle=ISO -c array_nulls=on',
  '-c default_transaction_isolation=read\\ committed',
].join(' ');

/**
 * How to connect to a server that has not said its version yet. Servers older than this service accepts do not know all
 * the settings of `connectionTo`, and refuse a connection that begins with them.
 */
export const bareConnectionTo = (url: string) => ({ ...CONNECTION, connectionString: url });

/**
 * How to connect to a database.
 * @param options further settings of the session: `-c name=value`. They are added to those in the address, which the
 * driver would otherwise take instead
 */
export function connectionTo(url: string, options = '') {
  const [address, query] = url.split(/\?(.*)/s, 2);
  const parameters = new URLSearchParams(query);
  parameters.set('options', `${parameters.get('options') ?? ''} ${OPTIONS} ${options}`.trim());
  return { ...CONNECTION, connectionString: `${address}?${parameters}` };
}

/**
 * Limits of connections with short statements: the server ends a statement after 10 s; if it does not, the driver gives
 * up after 15 s.
 */
export const SHORT_STATEMENTS: ClientConfig = {
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
  connection = connectionTo(url),
): Promise<Result> {
  const client = new Client(connection);
  // A connection that breaks fails the query in hand; without a listener it would end the process.
  client.on('error', () => undefined);
  try {
    await client.connect();
    return await work(client);
  } finally {
    await hangUp(client);
  }
}
