import { isIPv6 } from 'node:net';
import { LRUCache } from 'lru-cache';
import { Pool } from 'undici';
import { isAddress } from '#platform/net/address';
import { type Resolve, systemResolve } from '#platform/net/resolve';
import { Ending, exchange, Failure } from './exchange';
import { hostOf, InvalidUrl, type TargetRules, Targets } from './target';

/** How an attempt ended. It succeeded when `status` is 2xx and there is no `error`. */
export interface Outcome {
  status?: number;
  /**
   * refused_url, refused_address, dns, connect_timeout, connection_refused, unreachable, tls, timeout (in all), reset,
   * protocol (the answer is no HTTP), redirect, aborted
   */
  error?: string;
  /** For people. */
  detail?: string;
  /** The header as it came. */
  retryAfter?: string;
  /** At most 20 KB of the answer, as text. */
  response?: string;
  milliseconds: number;
  /** That it was sent to. */
  address?: string;
}

interface Options {
  resolve?: Resolve;
  /** To look the name up and to connect, TLS included. */
  connectMs?: number;
  /** From start to end. */
  totalMs?: number;
  /** Certificates to trust in place of those of Node, PEM. */
  ca?: string;
}

const ownHeaders = {
  'content-type': 'application/json',
  'accept-encoding': 'identity',
  'user-agent': 'practice-management-webhooks/1',
};
/** Origins at addresses that keep their connections. */
const mostPools = 500;

/**
 * Sends deliveries to addresses that were looked up and found public at that very attempt, and to no other: the
 * connection is made to the address, never to the name again. Redirects are not followed, proxies not asked.
 */
export class Sender {
  private readonly targets: Targets;
  private readonly resolve: Resolve;
  private readonly connectMs: number;
  private readonly totalMs: number;
  private readonly ca?: string;
  /** What its rules say of a URL does not change; what its name means does. */
  private readonly checkedUrls = new LRUCache<string, URL>({ max: mostPools });
  private readonly pools = new LRUCache<string, Pool>({
    max: mostPools,
    dispose: (pool) => void pool.close(),
  });

  constructor(rules: TargetRules, { resolve, connectMs = 5_000, totalMs = 15_000, ca }: Options = {}) {
    this.targets = new Targets(rules);
    this.resolve = resolve ?? systemResolve({ timeoutMs: connectMs });
    this.connectMs = connectMs;
    this.totalMs = totalMs;
    this.ca = ca;
  }

  /** Never rejects for what the receiver is or does. */
  async send(
    url: string,
    headers: Record<string, string>,
    body: string | Buffer,
    signal?: AbortSignal,
  ): Promise<Outcome> {
    const started = performance.now();
    const ending = new Ending();
    const abort = () => ending.end(new Failure('aborted', 'The sender stopped the attempt.'));
    const timer = setTimeout(
      () => ending.end(new Failure('timeout', `No whole answer in ${this.totalMs} ms.`)),
      this.totalMs,
    );
    signal?.addEventListener('abort', abort, { once: true });
    if (signal?.aborted) abort();
    try {
      const request = { headers: { ...ownHeaders, ...headers }, body };
      const ended = await this.attempt(url, request, ending);
      return { ...ended, milliseconds: elapsed(started) };
    } catch (error) {
      if (!(error instanceof Failure)) throw error;
      return { error: error.code, detail: error.message, milliseconds: elapsed(started) };
    } finally {
      clearTimeout(timer);
      signal?.removeEventListener('abort', abort);
    }
  }

  /** Ends the connections, once what is under way has ended. */
  async close(): Promise<void> {
    const pools = [...this.pools.values()];
    await Promise.all(pools.map((pool) => pool.close()));
  }

  private async attempt(
    text: string,
    request: { headers: Record<string, string>; body: string | Buffer },
    ending: Ending,
  ): Promise<Omit<Outcome, 'milliseconds'>> {
    const connectBy = performance.now() + this.connectMs;
    const url = this.checked(text);
    const addresses = await this.vetted(url, ending);
    for (const [index, address] of addresses.entries()) {
      const isLast = index === addresses.length - 1;
      const connectMs = Math.max(1, (connectBy - performance.now()) / (addresses.length - index));
      const { isConnected, ...ended } = await exchange(
        this.poolOf(url, address),
        { url, ...request },
        connectMs,
        ending,
      );
      if (isConnected || isLast || ending.failure) return { ...ended, address };
    }
    throw new Failure('dns', 'The host has no address.');
  }

  private checked(url: string): URL {
    const known = this.checkedUrls.get(url);
    if (known) return known;
    try {
      const checked = this.targets.check(url);
      this.checkedUrls.set(url, checked);
      return checked;
    } catch (error) {
      if (!(error instanceof InvalidUrl)) throw error;
      throw new Failure(error.reason === 'not_public' ? 'refused_address' : 'refused_url', error.message);
    }
  }

  /** The addresses of the host, all of which may be sent to. Nothing says which: a name of ours may be asked for. */
  private async vetted(url: URL, ending: Ending): Promise<readonly string[]> {
    if (ending.failure) throw ending.failure;
    const host = hostOf(url);
    const addresses = isAddress(host) ? [host] : await this.lookUp(host, ending);
    for (const address of addresses) {
      const refusal = this.targets.refusal(url, address);
      if (refusal) throw new Failure('refused_address', refusal);
    }
    return addresses;
  }

  private async lookUp(host: string, ending: Ending): Promise<readonly string[]> {
    let timer: NodeJS.Timeout | undefined;
    const givenUp = new Promise<never>((_, reject) => {
      ending.when(reject);
      timer = setTimeout(() => reject(new Failure('dns', 'The name servers do not answer.')), this.connectMs);
    });
    try {
      return await Promise.race([this.resolve(host), givenUp]);
    } catch (error) {
      throw error instanceof Failure ? error : new Failure('dns', (error as Error).message);
    } finally {
      clearTimeout(timer);
    }
  }

  /** One for each address, since another that the name has later is another machine. */
  private poolOf({ origin }: URL, address: string): Pool {
    const key = `${origin} ${address}`;
    const known = this.pools.get(key);
    if (known) return known;
    const pool = new Pool(origin, {
      connect: {
        ca: this.ca,
        rejectUnauthorized: true,
        timeout: this.connectMs,
        autoSelectFamily: false,
        lookup: (_name, _options, found) => found(null, address, isIPv6(address) ? 6 : 4),
      },
      // An attempt has limits of its own, that no answer makes longer.
      headersTimeout: 0,
      bodyTimeout: 0,
    });
    this.pools.set(key, pool);
    return pool;
  }
}

function elapsed(started: number): number {
  return Math.round(performance.now() - started);
}
