import { setTimeout as delay } from 'node:timers/promises';
import { Injectable, Logger, type OnApplicationShutdown } from '@nestjs/common';
import {
  Client,
  type ClientConfig,
  type CustomTypesConfig,
  Pool,
  type PoolClient,
  type PoolConfig,
  types,
} from 'pg';
import { Config } from './config';
import { isConnectionLost } from './database/connection-lost';
import { giveSigns, SILENCE_MS } from './database/sign-of-life';
import { TenantShares } from './database/tenant-shares';

/** `date` as 'YYYY-MM-DD': a Date would shift it by the machine's zone. int8 and numeric stay text, exact. */
export const exactTypes: CustomTypesConfig = {
  getTypeParser: ((oid: number, format?: 'text' | 'binary') =>
    oid === types.builtins.DATE
      ? (text: string) => text
      : types.getTypeParser(oid, format)) as typeof types.getTypeParser,
};

/**
 * Sums over a large firm's facts: in memory rather than on disk, and by several workers. Lists need neither. What is
 * written puts no more than 256 kB of new words aside: every search goes through those, and through 4 MB of them it takes
 * 9 ms longer. It costs the projector 4 µs a row.
 */
const READ_SETTINGS = '-c work_mem=32MB -c parallel_tuple_cost=0.01 -c gin_pending_list_limit=256';
/** Left to itself, PostgreSQL weighs for each statement with a name whether one plan is good for all its parameters, by what it reckons they cost. */
const PLAN_ONCE = '-c plan_cache_mode=force_generic_plan';

/** A process that is frozen amid what it writes holds up every reader of the feed: its connection answers, so only this ends it. */
export const STANDING_STILL = `set local idle_in_transaction_session_timeout = '15s'`;

/**
 * What connections have in common: when a machine or the network is gone without a word, both ends notice within half a
 * minute, and with the server's the locks of the session go. Left to themselves, one waits a quarter of an hour, the server two hours.
 */
export const CONNECTION = {
  connectionTimeoutMillis: 5_000,
  keepAlive: true,
  keepAliveInitialDelayMillis: 10_000,
  options: '-c tcp_keepalives_idle=10 -c tcp_keepalives_interval=5 -c tcp_keepalives_count=3',
} satisfies ClientConfig;

/** Of connections whose statements are short: the server ends one after ten seconds, and where it does not, we do. */
export const SHORT_STATEMENTS: ClientConfig = {
  ...CONNECTION,
  statement_timeout: 10_000,
  query_timeout: 15_000,
};

const GOODBYE_MS = 1_000;
const PROBE_MS = 5_000;

/** A standby takes no writes, nor does the server of a host that shuts it to them when its disk is full. */
export type DatabaseState = 'ok' | 'read-only' | 'unavailable';
const STATE = `select case current_setting('transaction_read_only') when 'on' then 'read-only' else 'ok' end as state`;

/** Ends a connection. A server that is silent is not waited for. */
export async function hangUp(client: Client): Promise<void> {
  await Promise.race([client.end(), delay(GOODBYE_MS, undefined, { ref: false })]);
}

/**
 * @param options settings of each connection: `-c name=value`
 * @param limits where they are not those of short statements, on as many connections as are configured
 */
export function openPool(
  url: string,
  config: Config,
  name: string,
  options = '',
  limits: PoolConfig = {},
): Pool {
  const pool = new Pool({
    connectionString: url,
    max: config.DATABASE_POOL,
    application_name: name,
    ...SHORT_STATEMENTS,
    ...limits,
    options: `${CONNECTION.options} ${options}`,
    // A command that is refused at its start ends at once.
    allowExitOnIdle: true,
    types: exactTypes,
  });
  const logger = new Logger(name);
  // The pool drops an idle connection that broke; without a listener the event would end the process.
  pool.on('error', (error) => logger.warn(`Idle database connection lost: ${error.message}`));
  // The same for one in use: the query in hand fails, or the next.
  pool.on('connect', (client) => client.on('error', () => undefined));
  return pool;
}

/** A pool of connections, and what goes beyond one query. */
class Database implements OnApplicationShutdown {
  readonly pool: Pool;
  protected readonly silenceMs: number = SILENCE_MS;
  /** No request waits for its connection: a pool that is busy is not a server that is away. */
  protected readonly probe: Pool;

  constructor(
    private readonly url: string,
    config: Config,
    protected readonly name: string,
    options?: string,
  ) {
    this.pool = openPool(url, config, name, options);
    const limits = { max: 1, query_timeout: PROBE_MS };
    this.probe = openPool(url, config, `${name}-probe`, '', limits);
  }

  /** How the server is, after some seconds at most. */
  async state(): Promise<DatabaseState> {
    return this.probe.query<{ state: DatabaseState }>(STATE).then(
      ({ rows }) => rows[0].state,
      () => 'unavailable',
    );
  }

  /** Commits what the work did, or undoes it when it fails. The server gives it up when it does nothing for 15 s. */
  async transaction<Result>(work: (client: PoolClient) => Promise<Result>): Promise<Result> {
    const { result, commit } = await this.uncommitted(work, `; ${STANDING_STILL}`);
    await commit();
    return result;
  }

  /**
   * Does the work, or undoes it when it fails. The caller commits.
   * @param mode of the transaction, as BEGIN takes it
   */
  protected async uncommitted<Result>(
    work: (client: PoolClient) => Promise<Result>,
    mode: string,
    pool = this.pool,
  ) {
    const client = await pool.connect();
    const undo = async (error: Error): Promise<never> => {
      // A server that is silent would not answer that either.
      const undone = isConnectionLost(error) ? Promise.reject(error) : client.query('rollback');
      await undone.then(
        () => client.release(),
        (broken: Error) => client.release(broken),
      );
      throw error;
    };
    const begun = client.query(`begin ${mode}`);
    const result = await begun.then(() => work(client)).catch(undo);
    const commit = () => client.query('commit').then(() => client.release(), undo);
    return { result, commit };
  }

  /**
   * A connection of its own for long work, without a time limit. Whoever opens it ends it; when the signal comes, its
   * server ends it, and with it the statement in hand, which would go on for long after its client is gone.
   */
  async session(signal?: AbortSignal): Promise<Client> {
    const client = new Client({
      connectionString: this.url,
      application_name: `${this.name}-session`,
      ...CONNECTION,
      types: exactTypes,
    });
    // A connection that breaks fails the query in hand or the next; without a listener it would end the process.
    client.on('error', () => undefined);
    await client.connect();
    if (signal) await this.endOn(signal, client);
    return client;
  }

  /** As `session`, for one whose locks others wait for: it ends when its process is frozen. */
  async watchedSession(signal?: AbortSignal): Promise<Client> {
    const client = await this.session(signal);
    await giveSigns(client, this.silenceMs);
    return client;
  }

  private async endOn(signal: AbortSignal, client: Client): Promise<void> {
    const { rows } = await client.query<{ pid: number }>('select pg_backend_pid() as pid');
    const terminate = () => {
      this.pool
        .query('select pg_terminate_backend($1)', [rows[0].pid])
        .catch((error: Error) => new Logger(this.name).warn(`A session goes on: ${error.message}`));
    };
    if (signal.aborted) terminate();
    signal.addEventListener('abort', terminate);
    client.once('end', () => signal.removeEventListener('abort', terminate));
  }

  async onApplicationShutdown(): Promise<void> {
    await Promise.all([this.pool.end(), this.probe.end()]);
  }
}

/** The event store and the platform's tables. */
@Injectable()
export class WriteDatabase extends Database {
  constructor(config: Config) {
    super(config.databaseUrl, config, 'practice-management-write');
  }
}

/** The read models; their server may be another one. */
@Injectable()
export class ReadDatabase extends Database {
  /** For pages of lists that are of few kinds: each connection plans a statement with a name once, whatever its parameters. */
  readonly plannedOnce: Pool;
  /** How many of a pool's connections one tenant may use at once; for both pools. */
  readonly shares: TenantShares;

  constructor(config: Config) {
    super(config.readDatabaseUrl, config, 'practice-management-read', READ_SETTINGS);
    this.plannedOnce = openPool(
      config.readDatabaseUrl,
      config,
      'practice-management-lists',
      `${READ_SETTINGS} ${PLAN_ONCE}`,
    );
    this.shares = new TenantShares(config.DATABASE_POOL);
  }

  /** All that the work reads is of one moment: a promotion shows a tenant's read models all at once. */
  async snapshot<Result>(
    work: (client: PoolClient) => Promise<Result>,
    pool: Pool = this.pool,
  ): Promise<Result> {
    const { result, commit } = await this.uncommitted(
      work,
      'isolation level repeatable read, read only',
      pool,
    );
    // Nothing was written: whoever asked need not wait for the end.
    commit().catch(() => undefined);
    return result;
  }

  /**
   * Ends the statement that a connection has in hand, of which nobody wants the answer any more. Where that fails, its limit does.
   * @param pid number of the server's process
   */
  async cancel(pid: number): Promise<void> {
    await this.probe
      .query('select pg_cancel_backend($1)', [pid])
      .catch((error: Error) => new Logger(this.name).warn(`A statement goes on: ${error.message}`));
  }

  override async onApplicationShutdown(): Promise<void> {
    await Promise.all([super.onApplicationShutdown(), this.plannedOnce.end()]);
  }
}
