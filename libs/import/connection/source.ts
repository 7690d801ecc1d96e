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

/** No text of the source is longer than this; what is longer is cut off, and still too long for its column. */
const MOST_BYTES_OF_TEXT = 64 * 1024;

/**
 * What the driver has to keep at once, a row or a small answer, is smaller: it keeps what never ends until there is no
 * memory left.
 */
const MOST_BYTES_AT_ONCE = 4 * 1024 * 1024;
const WATCH_MS = 100;

export interface SourceOptions {
  hosts: SourceHosts;
  resolve: Resolve;
  /** Authorities, PEM; those of Node when absent. */
  ca?: string[];
  /** A server that is silent for so long is given up. */
  stallMs: number;
  signal: AbortSignal;
}

/** A server has its time, and as much has another to which it sends the driver on. */
const MOST_SERVERS = 2;
/** One that sends the driver back to itself would have it connect hundreds of times a second, until that time is over. */
const MOST_SENT_ON = 10;

/** Values by their names in a statement. */
export type Parameters = Record<string, string>;

/** A customer's database, over one connection that only reads. Whoever opens it closes it. */
export class Source {
  private readonly sockets = new Set<Socket>();
  /** By sockets that are closed. */
  private bytesBefore = 0;
  private readonly pool: ConnectionPool;
  private readonly stop = () => this.cut(this.options.signal.reason);
  private readonly gone = new AbortController();
  private cutBy?: Error;
  /** The first error that the server told of: why a login is refused comes before that it is; the driver passes neither on. */
  private refusal?: number;

  private constructor(
    settings: SourceSettings,
    private readonly options: SourceOptions,
  ) {
    this.pool = new ConnectionPool(this.driverConfig(settings));
    // A connection that breaks fails the request in hand; without a listener it would end the process.
    this.pool.on('error', () => undefined);
    options.signal.addEventListener('abort', this.stop, { once: true });
  }

  /** @throws SourceFailure, or the reason of the signal */
  static async open(settings: SourceSettings, options: SourceOptions): Promise<Source> {
    options.signal.throwIfAborted();
    const source = new Source(settings, options);
    try {
      await source.connect(MOST_SERVERS * settings.connectMs);
      return source;
    } catch (error) {
      const failure = source.failureOf(error);
      source.close();
      throw failure;
    }
  }

  /** All rows of a small answer, each by its column's names. @throws SourceFailure */
  async query(sql: string, parameters: Parameters = {}): Promise<Record<string, unknown>[]> {
    const request = this.request(parameters);
    const timer = this.watch(() => false);
    try {
      return (await request.query(sql)).recordset ?? [];
    } catch (error) {
      throw this.failureOf(error);
    } finally {
      clearInterval(timer.timer);
    }
  }

  /** The rows of a large answer, in batches. @throws SourceFailure */
  async *rows<Batch>(
    sql: string,
    collector: RowCollector<Batch>,
    parameters: Parameters = {},
  ): AsyncGenerator<Batch> {
    const request = this.request(parameters);
    const guard: { batches?: RowBatches<Batch> } = {};
    const watch = this.watch(() => guard.batches?.isBehind ?? false);
    const batches = new RowBatches(request, collector, watch.touch);
    guard.batches = batches;
    let isComplete = false;
    try {
      request.query(sql, () => undefined);
      yield* batches;
      isComplete = true;
    } catch (error) {
      throw this.failureOf(error);
    } finally {
      clearInterval(watch.timer);
      // Whoever does not want the rest need not wait for it.
      if (!isComplete) this.cut();
    }
  }

  close(): void {
    this.options.signal.removeEventListener('abort', this.stop);
    this.cut();
    // Of a connection that hangs the pool hears nothing.
    this.pool.close().catch(() => undefined);
  }

  private async connect(ms: number): Promise<void> {
    const { timer } = this.watch(() => false, Number.POSITIVE_INFINITY);
    try {
      // The pool tries one connection, which it ends, and opens another for the work.
      await this.within(ms, () => this.pool.connect());
      this.pool.release(await this.within(ms, () => this.pool.acquire(this)));
    } finally {
      clearInterval(timer);
    }
  }

  /** The driver waits for the end of an answer that has begun, whatever becomes of the connection and of its own limit. */
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

  /** Ends the connection when nothing was heard for too long, unless it is us who are slow, or too much without a row. */
  private watch(isOurs: () => boolean, stallMs = this.options.stallMs) {
    let heard = performance.now();
    let read = this.bytesRead;
    let isHeard = false;
    // For each row: the clock is read by the timer alone.
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

  /** Why it was cut, where it was; else what the driver's error means. */
  private failureOf(error: unknown): unknown {
    if (this.options.signal.aborted) return this.options.signal.reason;
    return this.cutBy ?? failureOf({ cause: error, number: this.refusal });
  }

  private driverConfig(settings: SourceSettings): DriverConfig {
    const { host, database, user, password, encrypt, certificateName, connectMs } = settings;
    const most = MOST_SERVERS * connectMs;
    const connector = async (to: { host: string; port: number }, _lookup: unknown, driver: AbortSignal) => {
      const { hosts, resolve } = this.options;
      // The driver goes on with what it has begun, and where a server sends it.
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
      // The driver writes into it.
      cryptoCredentialsDetails: { minVersion: 'TLSv1.2' as const, ca: this.options.ca },
      serverName: certificateName,
      connector,
      port: settings.port,
      appName: settings.applicationName,
      readOnlyIntent: settings.isReadOnly,
      connectTimeout: connectMs,
      // A silent server is noticed by what it sends, row by row.
      requestTimeout: 0,
      // Tries are counted where they are made.
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
        // The driver's types leave this one out.
        (connection as EventEmitter).on('rerouting', () => {
          if (++sentOn > MOST_SENT_ON) this.cut(sentInCircles());
        });
      },
      options: options as DriverConfig['options'],
    };
  }
}
