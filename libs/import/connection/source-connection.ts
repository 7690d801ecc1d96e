import { type EventEmitter, once } from 'node:events';
import type { Socket } from 'node:net';
import { ConnectionPool, type config as DriverConfig, NVarChar, type Request } from 'mssql';
import type { Resolve } from '#platform/net/resolve';
import { guardDriver } from './guarded-driver';
import { connectGuarded } from './guarded-socket';
import { RowBatches, type RowCollector } from './row-batches';
import { failureOf, sentInCircles, stalled, tooMuch } from './source-failure';
import type { SourceHosts } from './source-hosts';
import type { SourceSettings } from './source-settings';

declare module 'mssql' {
  interface ConnectionPool {
    acquire(requester: object): Promise<object>;
    release(connection: object): void;
  }
}

/**
 * The server cuts longer texts of the source off. The rest is still too long for every column, and is reported as such.
 */
const MOST_BYTES_OF_TEXT = 64 * 1024;

/**
 * The most bytes that may arrive without completing a row or a small answer, which are always smaller. Without the
 * limit the driver would buffer an endless row until memory is exhausted.
 */
const MOST_BYTES_AT_ONCE = 4 * 1024 * 1024;
const WATCH_MS = 100;

export interface SourceOptions {
  hosts: SourceHosts;
  resolve: Resolve;
  /** Certificate authorities, PEM; default: those of Node. */
  ca?: string[];
  /** A server that is silent for this long is given up. */
  stallMs: number;
  signal: AbortSignal;
}

/** The login has the connection timeout twice: for the server, and for another to which it redirects the driver. */
const MOST_SERVERS = 2;
/** A server that redirects the driver to itself would make it connect hundreds of times a second, until the login times out. */
const MOST_SENT_ON = 10;

/** The values of a statement's parameters, by name. */
export type Parameters = Record<string, string>;

/** A customer's database, over one connection that only reads. The caller that opens it must close it. */
export class SourceConnection {
  private readonly sockets = new Set<Socket>();
  /** Bytes received over sockets that are closed by now. */
  private bytesBefore = 0;
  private readonly pool: ConnectionPool;
  private readonly stop = () => this.cut(this.options.signal.reason);
  private readonly gone = new AbortController();
  private cutBy?: Error;
  /** Number of the server's first error message: it has the reason of a refused login, which the driver does not pass on. */
  private refusal?: number;

  private constructor(
    settings: SourceSettings,
    private readonly options: SourceOptions,
  ) {
    this.pool = new ConnectionPool(this.driverConfig(settings));
    // A broken connection fails the current request. Without a listener its error would also end the process.
    this.pool.on('error', () => undefined);
    options.signal.addEventListener('abort', this.stop, { once: true });
  }

  /** Connects to a customer's database. @throws SourceFailure, or the reason of the signal */
  static async open(settings: SourceSettings, options: SourceOptions): Promise<SourceConnection> {
    options.signal.throwIfAborted();
    const source = new SourceConnection(settings, options);
    try {
      await source.connect(MOST_SERVERS * settings.connectMs);
      return source;
    } catch (error) {
      const failure = source.failureOf(error);
      source.close();
      throw failure;
    }
  }

  /** All rows of a small answer, each as an object by column names. @throws SourceFailure */
  async query(sql: string, parameters: Parameters = {}): Promise<Record<string, unknown>[]> {
    const request = this.request(parameters);
    const { timer } = this.watch(() => false);
    try {
      return (await request.query(sql)).recordset ?? [];
    } catch (error) {
      throw this.failureOf(error);
    } finally {
      clearInterval(timer);
    }
  }

  /** The rows of a large answer, in batches. @throws SourceFailure */
  async *rows<Batch>(
    sql: string,
    collector: RowCollector<Batch>,
    parameters: Parameters = {},
  ): AsyncGenerator<Batch> {
    const request = this.request(parameters);
    const batches = new RowBatches(request, collector, () => watch.touch());
    const watch = this.watch(() => batches.isBehind);
    let isComplete = false;
    try {
      request.query(sql, () => undefined);
      yield* batches;
      isComplete = true;
    } catch (error) {
      throw this.failureOf(error);
    } finally {
      clearInterval(watch.timer);
      // A caller that does not want the remaining rows must not wait for them.
      if (!isComplete) this.cut();
    }
  }

  close(): void {
    this.options.signal.removeEventListener('abort', this.stop);
    this.cut();
    // The pool would wait for a connection that hangs, so closing it is not awaited.
    this.pool.close().catch(() => undefined);
  }

  private async connect(ms: number): Promise<void> {
    const { timer } = this.watch(() => false, Number.POSITIVE_INFINITY);
    try {
      // The pool first opens a connection as a test and closes it, then opens another one for the work.
      await this.within(ms, () => this.pool.connect());
      this.pool.release(await this.within(ms, () => this.pool.acquire(this)));
    } finally {
      clearInterval(timer);
    }
  }

  /** Limits the duration of work: once an answer has begun, the driver ignores its own timeout and a broken connection. */
  private async within<Result>(ms: number, work: () => Promise<Result>): Promise<Result> {
    const late = failureOf({ code: 'ETIMEDOUT' });
    const timer = setTimeout(() => this.cut(late), ms);
    const isLeft = once(this.gone.signal, 'abort').then(() => Promise.reject(late));
    try {
      return await Promise.race([work(), isLeft]);
    } finally {
      clearTimeout(timer);
    }
  }

  private request(parameters: Parameters): Request {
    const request = this.pool.request();
    for (const [name, value] of Object.entries(parameters)) request.input(name, NVarChar(4000), value);
    return request;
  }

  /**
   * Watches the connection during a request. Ends it when the server is silent for too long (unless this side is slow), or
   * sends too much without completing a row.
   */
  private watch(isOurs: () => boolean, stallMs = this.options.stallMs) {
    let heard = performance.now();
    let read = this.bytesRead;
    let isHeard = false;
    // Called for every row, so it does not read the clock: the timer does.
    const touch = () => {
      isHeard = true;
    };
    const look = () => {
      if (isHeard || isOurs()) {
        heard = performance.now();
        read = this.bytesRead;
      }
      isHeard = false;
      if (this.bytesRead - read > MOST_BYTES_AT_ONCE) this.cut(tooMuch());
      else if (performance.now() - heard >= stallMs) this.cut(stalled());
    };
    return { touch, timer: setInterval(look, Math.min(WATCH_MS, stallMs / 4)) };
  }

  private get bytesRead(): number {
    return [...this.sockets].reduce((sum, socket) => sum + socket.bytesRead, this.bytesBefore);
  }

  private cut(reason?: Error): void {
    this.cutBy ??= reason;
    this.gone.abort();
    for (const socket of this.sockets) socket.destroy(reason);
  }

  /** The reason why the connection was cut, if it was; otherwise the explanation of the driver's error. */
  private failureOf(error: unknown): unknown {
    if (this.options.signal.aborted) return this.options.signal.reason;
    return this.cutBy ?? failureOf({ cause: error, number: this.refusal });
  }

  private driverConfig(settings: SourceSettings): DriverConfig {
    const { host, database, user, password, encrypt, certificateName, connectMs } = settings;
    const most = MOST_SERVERS * connectMs;
    const connector = async (to: { host: string; port: number }, _lookup: unknown, driver: AbortSignal) => {
      const { hosts, resolve } = this.options;
      // The driver does not stop connecting by itself, and follows redirections, so the signal must end this, too.
      const signal = AbortSignal.any([driver, this.gone.signal]);
      const socket = await connectGuarded(to, { hosts, resolve, encrypt, connectMs, signal });
      this.sockets.add(socket);
      socket.once('close', () => {
        this.bytesBefore += socket.bytesRead;
        this.sockets.delete(socket);
      });
      return socket;
    };
    const options = {
      encrypt,
      trustServerCertificate: false,
      // A new object for each connection, since the driver writes into it.
      cryptoCredentialsDetails: { minVersion: 'TLSv1.2' as const, ca: this.options.ca },
      serverName: certificateName,
      connector,
      port: settings.port,
      appName: settings.applicationName,
      readOnlyIntent: settings.isReadOnly,
      connectTimeout: connectMs,
      // No limit for the whole request: `watch` notices a server that falls silent.
      requestTimeout: 0,
      // The extraction repeats and counts tries.
      maxRetriesOnTransientErrors: 0,
      textsize: MOST_BYTES_OF_TEXT,
      abortTransactionOnError: true,
    };
    return {
      server: host,
      port: settings.port,
      user,
      password,
      database,
      pool: { max: 1, min: 0, acquireTimeoutMillis: most, createTimeoutMillis: most },
      validateConnection: false,
      beforeConnect: (connection) => {
        connection.on('errorMessage', ({ number }) => (this.refusal ??= number));
        guardDriver(connection, () => this.cut(failureOf(undefined)));
        let sentOn = 0;
        // The driver's types lack this event.
        (connection as EventEmitter).on('rerouting', () => {
          if (++sentOn > MOST_SENT_ON) this.cut(sentInCircles());
        });
      },
      options: options as DriverConfig['options'],
    };
  }
}
