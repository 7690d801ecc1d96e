import { LRUCache } from 'lru-cache';
import { isAddress } from '#platform/net/address';
import type { Destination } from '#platform/net/openings';
import { type Resolve, systemResolve } from '#platform/net/resolve';
import { Connections } from './connections';
import { Ending, type Exchanged, exchange, Failure, type Request } from './exchange';
import { destinationOf, InvalidUrl, type TargetRules, Targets } from './target';

/** How an attempt ended. It succeeded when `status` is 2xx and there is no `error`. */
export interface Outcome {
  status?: number;
  /**
   * refused_url, refused_address, dns, connect_timeout, connection_refused, unreachable, tls, timeout (of the whole
   * attempt), reset, protocol (the answer is not HTTP), redirect
   */
  error?: string;
  /** What went wrong, in words for people. */
  detail?: string;
  /** The Retry-After header as it came. */
  retryAfter?: string;
  /** At most 20 KB of the answer, as text. */
  response?: string;
  milliseconds: number;
  /** The IP address that it was sent to. */
  address?: string;
}

interface Options {
  resolve?: Resolve;
  /** Connections to one receiver at one address: as many as deliveries of it may be under way. */
  connections?: number;
  /** Limit for the name lookup and the connection, TLS included. */
  connectMs?: number;
  /** Limit for the whole attempt. */
  totalMs?: number;
  /** Certificates to trust instead of those of Node, PEM. */
  ca?: string;
}

/** A URL that the rules allow, taken apart. */
interface Target {
  origin: string;
  path: string;
  to: Destination;
  /** The host, when it is an IP address. */
  address?: string;
}

const ownHeaders = {
  'content-type': 'application/json',
  'accept-encoding': 'identity',
  'user-agent': 'practice-management-webhooks/1',
};
/**
 * The least share of the connection time that each address gets: TCP and TLS to a distant address take half a second,
 * however many other addresses there are.
 */
const leastShare = 1 / 4;
/**
 * Addresses of a name that an attempt connects to. The receiver's owner may name any number, and they may be machines of
 * others.
 */
const mostAddresses = 8;
/** URLs that are remembered as allowed. */
const mostUrls = 500;

/**
 * Sends deliveries only to addresses that were looked up and found allowed during the same attempt. The connection is
 * made to the address, never to the name again. Redirects are not followed, and proxies are not used.
 */
export class Sender {
  private readonly targets: Targets;
  private readonly resolve: Resolve;
  private readonly connections: Connections;
  private readonly connectMs: number;
  private readonly totalMs: number;
  /** Checked URLs. The verdict of the rules on a URL does not change; the addresses of its name do. */
  private readonly checkedUrls = new LRUCache<string, Target>({ max: mostUrls });

  constructor(rules: TargetRules, options: Options = {}) {
    const { resolve, connections = 5, connectMs = 5_000, totalMs = 15_000, ca } = options;
    this.targets = new Targets(rules);
    this.resolve = resolve ?? systemResolve({ timeoutMs: connectMs });
    this.connections = new Connections({ connections, connectMs, ca });
    this.connectMs = connectMs;
    this.totalMs = totalMs;
  }

  /**
   * Makes one attempt. It never rejects because of what the receiver is or does.
   * @param receiver whose connections are used: deliveries to one receiver never wait for those to another at the same
   * host
   */
  async send(
    url: string,
    headers: Record<string, string>,
    body: string | Buffer,
    receiver = url,
  ): Promise<Outcome> {
    const started = performance.now();
    const ending = new Ending();
    const timer = setTimeout(
      () => ending.end(new Failure('timeout', `No whole answer in ${this.totalMs} ms.`)),
      this.totalMs,
    );
    try {
      const target = this.checked(url);
      const { origin, path } = target;
      // Spreading them is 50 times as slow, and costs as much as a signature.
      const request = { origin, path, headers: Object.assign({}, ownHeaders, headers), body };
      const outcome = await this.attempt(target, receiver, request, ending);
      outcome.milliseconds = elapsed(started);
      return outcome;
    } catch (error) {
      if (!(error instanceof Failure)) throw error;
      return { error: error.code, detail: error.message, milliseconds: elapsed(started) };
    } finally {
      clearTimeout(timer);
    }
  }

  /** Closes the connections, once the requests under way have ended. */
  close(): Promise<void> {
    return this.connections.close();
  }

  private async attempt(
    target: Target,
    receiver: string,
    request: Request,
    ending: Ending,
  ): Promise<Outcome> {
    const connectBy = performance.now() + this.connectMs;
    const found = target.address ? [target.address] : await this.lookUp(target.to.host, ending);
    // The attempt ended while the name was looked up: it connects to nothing any more.
    if (ending.failure) throw ending.failure;
    this.vet(target, found);
    const addresses = found.slice(0, mostAddresses);
    let left = addresses.length;
    let told: Outcome | undefined;
    for (const address of addresses) {
      const remaining = connectBy - performance.now();
      const connectMs = Math.max(1, remaining / left--, Math.min(remaining, this.connectMs * leastShare));
      const exchanged = await this.exchange(receiver, address, request, connectMs, ending);
      const outcome = outcomeOf(exchanged, address);
      if (exchanged.isConnected || ending.failure) return outcome;
      // Reports the first address where something answered, otherwise the first address: IPv6, which comes last, is
      // often not available at all.
      if (!told || (outcome.error === 'tls' && told.error !== 'tls')) told = outcome;
      if (performance.now() >= connectBy) break;
    }
    if (told) return told;
    throw new Failure('dns', 'The host has no address.');
  }

  private checked(text: string): Target {
    const known = this.checkedUrls.get(text);
    if (known) return known;
    try {
      const url = this.targets.check(text);
      const to = destinationOf(url);
      const path = url.pathname + url.search;
      const target = { origin: url.origin, path, to, address: isAddress(to.host) ? to.host : undefined };
      this.checkedUrls.set(text, target);
      return target;
    } catch (error) {
      if (!(error instanceof InvalidUrl)) throw error;
      throw new Failure(error.reason === 'not_public' ? 'refused_address' : 'refused_url', error.message);
    }
  }

  /**
   * Refuses a host unless deliveries may go to all its addresses. The message does not say which is refused: the name
   * may be one of the operator's own network.
   */
  private vet({ to }: Target, addresses: readonly string[]): void {
    for (const address of addresses) {
      const refusal = this.targets.refusal(to, address);
      if (refusal) throw new Failure('refused_address', refusal);
    }
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

  /**
   * Sends a request to an address. A receiver may close a connection at any time between two requests, so a request on a
   * kept connection that breaks off without an answer is sent once more, on a new one. Should the receiver have read the
   * first, it knows the message by its `webhook-id`.
   * @see RFC 9112, sections 9.3.1 and 9.5
   */
  private async exchange(
    receiver: string,
    address: string,
    request: Request,
    connectMs: number,
    ending: Ending,
  ): Promise<Exchanged> {
    const { origin } = request;
    const pool = this.connections.pool(receiver, origin, address);
    const exchanged = await exchange(pool, request, connectMs, ending);
    if (!exchanged.wasClosed) return exchanged;
    const line = this.connections.fresh(origin, address);
    try {
      return await exchange(line, request, this.connectMs, ending);
    } finally {
      void line.destroy();
    }
  }
}

function outcomeOf({ status, error, detail, retryAfter, response }: Exchanged, address: string): Outcome {
  return { status, error, detail, retryAfter, response, milliseconds: 0, address };
}

function elapsed(started: number): number {
  return Math.round(performance.now() - started);
}
