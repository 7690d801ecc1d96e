import { Semaphore, withTimeout } from 'async-mutex';
import { LRUCache } from 'lru-cache';
import { DomainError } from '#kernel/errors';

/** How long a tenant's reading waits for its others to end, as long as for a connection. */
const WAIT_MS = 5_000;

/** Of a pool's connections one tenant's lists and reports have half at once, so that those of others find one. */
export class TenantShares {
  /** How many of one tenant may be under way. */
  readonly each: number;
  private readonly shares: LRUCache<number, Semaphore>;

  constructor(connections: number) {
    this.each = Math.ceil(connections / 2);
    this.shares = new LRUCache({ max: 10_000, memoMethod: () => new Semaphore(this.each) });
  }

  /**
   * Does the work when it is the tenant's turn.
   * @param refusal when others of the tenant take too long
   */
  run<Result>(tenantId: number, refusal: DomainError, work: () => Promise<Result>): Promise<Result> {
    return withTimeout(this.shares.memo(tenantId), WAIT_MS, refusal).runExclusive(work);
  }
}

/** 503, of a tenant whose other requests stand in the way. */
export function busy(code: string, detail: string): DomainError {
  return new DomainError('unavailable', code, detail, [], { 'Retry-After': '1' });
}
