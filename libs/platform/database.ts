import { Injectable, Logger, type OnApplicationShutdown } from '@nestjs/common';
import { Client, Pool, type PoolClient, type PoolConfig } from 'pg';
import { Config } from './config';
import { connectionTo, exactTypes, SHORT_STATEMENTS, STANDING_STILL } from './database/connection';
import { isConnectionLost } from './database/connection-lost';
import { giveSigns, SILENCE_MS } from './database/sign-of-life';
import { TenantShares } from './database/tenant-shares';

/**
 * Settings of the connections to the read models. `work_mem`, `parallel_tuple_cost` and `enable_gathermerge`: several
 * workers add up a large firm's facts in memory, pass on sums rather than rows, and do not sort them; lists need none of
 * these. `gin_pending_list_limit`: the word indexes keep at most 256 kB of new entries aside, as every search scans those;
 * with the default of 4 MB a search takes 9 ms longer. The limit costs the projector 4 µs a row.
 */
const READ_SETTINGS = [
  '-c work_mem=32MB -c parallel_tuple_cost=0.001 -c enable_gathermerge=off',
  '-c gin_pending_list_limit=256',
].join(' ');
/**
 * Makes PostgreSQL plan a prepared statement only once. Without it, each execution may be planned again where
 * PostgreSQL estimates that to be cheaper.
 */
const PLAN_ONCE = '-c plan_cache_mode=force_generic_plan';

const PROBE_MS = 5_000;

/** `read-only`: a standby, or a server that its provider has made read-only because the disk is full. */
export type DatabaseState = 'ok' | 'read-only' | 'unavailable';
const STATE = `select case current_setting('transaction_read_only') when 'on' then 'read-only' else 'ok' end as state`;

/**
 * Opens a pool.
 * @param options settings of each connection: `-c name=value`
 * @param limits settings that replace those of short statements and the configured number of connections
 */
export function openPool(
  url: string,
  config: Config,
  name: string,
  options = '',
  limits: PoolConfig = {},
): Pool {
  const pool = new Pool({
    ...connectionTo(url, options),
    max: config.DATABASE_POOL,
    application_name: name,
    ...SHORT_STATEMENTS,
    ...limits,
    // Idle connections must not keep a command alive that was refused at its start.
    allowExitOnIdle: true,
    types: exactTypes,
  });
  const logger = new Logger(name);
  // The pool drops an idle connection that broke; without a listener the event would end the process.
  pool.on('error', (error) => logger.warn(`Idle database connection lost: ${error.message}`));
  // The same for a connection in use; the current query fails, or the next one.
  pool.on('connect', (client) => client.on('error', () => undefined));
  return pool;
}

/** A pool of connections, with transactions, sessions and health checks. */
class Database implements OnApplicationShutdown {
  readonly pool: Pool;
  protected readonly silenceMs: number = SILENCE_MS;
  /** The pool of health checks. It is separate, as a busy pool must not look like a server that is away. */
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

  /** The server's state, known within some seconds. */
  async state(): Promise<DatabaseState> {
    const client = await this.probe.connect().catch(() => undefined);
    if (!client) return 'unavailable';
    const state = await client.query<{ state: DatabaseState }>(STATE).then(
      ({ rows }) => rows[0].state,
      () => 'unavailable' as const,
    );
    // A session that began when its database could only be read goes on saying so.
    client.release(state !== 'ok');
    return state;
  }

  /**
   * Runs the work in a transaction; commits it, or rolls back when the work fails. The server ends the transaction
   * after 15 s without a statement.
   */
  async transaction<Result>(work: (client: PoolClient) => Promise<Result>): Promise<Result> {
    const { result, commit } = await this.uncommitted(work, `; ${STANDING_STILL}`);
    await commit();
    return result;
  }

  /**
   * Runs the work in a transaction, and rolls back when it fails. The caller commits.
   * @param mode of the transaction, as BEGIN takes it, and statements that come first in it
   */
  protected async uncommitted<Result>(
    work: (client: PoolClient) => Promise<Result>,
    mode: string,
    pool = this.pool,
  ) {
    const client = await pool.connect();
    const undo = async (error: Error): Promise<never> => {
      // On a lost connection a rollback would get no answer either.
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
   * A connection of its own, without a time limit, for long work. The caller closes it. When the signal aborts, the
   * server is told to end the session: closing it from here would leave the current statement running.
   */
  async session(signal?: AbortSignal): Promise<Client> {
    const client = new Client({
      ...connectionTo(this.url),
      application_name: `${this.name}-session`,
      types: exactTypes,
    });
    // A connection that breaks fails the query in hand or the next; without a listener it would end the process.
    client.on('error', () => undefined);
    await client.connect();
    if (signal) await this.endOn(signal, client);
    return client;
  }

  /** A `session` whose locks others wait for: the server ends it when its process is frozen. */
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
        .catch((error: Error) =>
          new Logger(this.name).warn(`A session that is no longer needed was not ended: ${error.message}`),
        );
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
  /**
   * The pool of the few kinds of list pages whose statements have names: each connection plans such a statement only
   * once.
   */
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

  /**
   * Runs the work on a snapshot, so that everything it reads is of one moment: a promotion changes all read models of a
   * tenant at once.
   * @param tables the read models' tables that the work may query: while they are locked, no generation that was live at
   * the snapshot is dropped
   */
  async snapshot<Result>(
    tables: readonly string[],
    work: (client: PoolClient) => Promise<Result>,
    pool: Pool = this.pool,
  ): Promise<Result> {
    const locked = tables.map((table) => `only read_model.${table}`).join(', ');
    const mode = `isolation level repeatable read, read only; lock table ${locked} in access share mode`;
    const { result, commit } = await this.uncommitted(work, mode, pool);
    // Nothing was written, so the caller need not wait for the commit.
    commit().catch(() => undefined);
    return result;
  }

  /**
   * Cancels a connection's current statement, whose result is no longer wanted. If that fails, the statement's time
   * limit ends it.
   * @param pid process id of the server's session
   */
  async cancel(pid: number): Promise<void> {
    await this.probe
      .query('select pg_cancel_backend($1)', [pid])
      .catch((error: Error) =>
        new Logger(this.name).warn(
          `A statement that is no longer needed was not cancelled: ${error.message}`,
        ),
      );
  }

  override async onApplicationShutdown(): Promise<void> {
    await Promise.all([super.onApplicationShutdown(), this.plannedOnce.end()]);
  }
}
