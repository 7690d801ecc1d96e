import { Semaphore, withTimeout } from 'async-mutex';
import { LRUCache } from 'lru-cache';
import { DomainError } from '#kernel/errors';

/** How long a tenant's read waits for its other reads to end: as long as for a connection. */
const WAIT_MS = 5_000;

/**
 * Limits the lists and reports of one tenant to half of a pool's connections at once, so that other tenants find a
 * connection.
 */
export class TenantShares {
  /** How many reads of one tenant may be under way at once. */
  readonly each: number;
  private readonly shares: LRUCache<number, Semaphore>;

  constructor(connections: number) {
    this.each = Math.ceil(connections / 2);
    this.shares = new LRUCache({ max: 10_000, memoMethod: () => new Semaphore(this.each) });
  }

  /**
   * Runs the work when it is the tenant's turn.
   * @param refusal thrown when the tenant's other reads take too long
   */
  run<Result>(tenantId: number, refusal: DomainError, work: () => Promise<Result>): Promise<Result> {
    return withTimeout(this.shares.memo(tenantId), WAIT_MS, refusal).runExclusive(work);
  }
}

/** 503 for a tenant that has too many other requests under way. */
export function busy(code: string, detail: string): DomainError {
  return new DomainError('unavailable', code, detail, [], { 'Retry-After': '1' });
}
