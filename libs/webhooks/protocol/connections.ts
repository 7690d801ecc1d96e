import { isIPv6 } from 'node:net';
import { LRUCache } from 'lru-cache';
import { Client, type Dispatcher, Pool } from 'undici';

/** Pools of connections that are kept, one for each receiver at an address. */
const mostPools = 500;

interface Limits {
  /** Connections to one receiver at one address. */
  connections: number;
  /** Limit for a connection, TLS included. */
  connectMs: number;
  /** Certificates to trust instead of those of Node, PEM. */
  ca?: string;
}

/** A request, which is told on which line it is put. */
export interface OnLine extends Dispatcher.DispatchOptions {
  line?: Line;
}

/** A connection, and those that take its place. undici does not say of a request whether its connection is new. */
export class Line extends Client {
  private isUsed = false;

  constructor(origin: string | URL, options: Client.Options) {
    super(origin, options);
    this.on('connect', () => {
      this.isUsed = false;
    });
  }

  override dispatch(request: OnLine, handler: Dispatcher.DispatchHandler): boolean {
    request.line = this;
    return super.dispatch(request, handler);
  }

  /** A request begins. @returns whether the connection has carried another before */
  begin(): boolean {
    const wasUsed = this.isUsed;
    this.isUsed = true;
    return wasUsed;
  }
}

/** Connections to receivers. Each is made to an address that the caller has checked; no name is looked up. */
export class Connections {
  private readonly pools = new LRUCache<string, Pool>({
    max: mostPools,
    dispose: (pool) => void pool.close(),
  });

  constructor(private readonly limits: Limits) {}

  /**
   * The connections of a receiver, which are kept. There are others for each address, as another address that the name
   * has later is another machine.
   */
  pool(receiver: string, origin: string, address: string): Pool {
    const key = `${receiver} ${origin} ${address}`;
    const known = this.pools.get(key);
    if (known) return known;
    const pool = new Pool(origin, {
      ...this.optionsFor(address),
      connections: this.limits.connections,
      factory: (to, options) => new Line(to, options),
    });
    this.pools.set(key, pool);
    return pool;
  }

  /** A new connection, which the caller destroys. */
  fresh(origin: string, address: string): Line {
    return new Line(origin, this.optionsFor(address));
  }

  /** Closes the connections that are kept, once the requests under way have ended. */
  async close(): Promise<void> {
    const pools = [...this.pools.values()];
    await Promise.all(pools.map((pool) => pool.close()));
  }

  private optionsFor(address: string): Client.Options {
    return {
      connect: {
        ca: this.limits.ca,
        rejectUnauthorized: true,
        timeout: this.limits.connectMs,
        autoSelectFamily: false,
        lookup: (_name, _options, found) => found(null, address, isIPv6(address) ? 6 : 4),
      },
      // An attempt has its own time limits, which no answer extends.
      headersTimeout: 0,
      bodyTimeout: 0,
    };
  }
}
