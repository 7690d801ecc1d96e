import { Injectable, Logger } from '@nestjs/common';
import { LRUCache } from 'lru-cache';
import { Counter } from 'prom-client';
import { Clock } from '#kernel/clock';
import { DomainError } from '#kernel/errors';
import { WriteDatabase } from '#platform/database';
import { countRequests, type Take } from './rate-windows';

export interface RateSubject {
  tenantId: number;
  integrationId: string;
  /** Requests in a period. */
  limit: number;
  /** Length of the period in seconds. */
  period: number;
}

/** The result of counting a request against its limit. */
export interface Admission {
  /**
   * Settles when the request is counted; rejects with DomainError rate_limited. It never causes an unhandled rejection.
   */
  admitted: Promise<void>;
  /**
   * `RateLimit-Policy` and `RateLimit`, exact once `admitted` has settled.
   * @see draft-ietf-httpapi-ratelimit-headers-10
   */
  headers(): Record<string, string>;
}

/** The state of one subject's current window, as far as this process knows it. */
interface Window extends RateSubject {
  start: number;
  /** Requests of all processes, as the database last counted them. */
  used: number;
  /** Requests that this process has counted in the database, and not used yet. */
  lease: number;
  waiting: Waiting[];
}

interface Waiting {
  admit(remaining: number): void;
  refuse(): void;
}

const failedOpen = new Counter({
  name: 'rate_limit_failed_open_total',
  help: 'Requests let through uncounted because the store of the counters did not answer.',
});

/**
 * Up to this limit each request is counted in the database. Above it, one statement takes a lease for a hundredth of
 * the limit.
 */
const exactUpTo = 1000;

/**
 * Limits requests by fixed windows for each integration and tenant. The windows are aligned to the clock, and all
 * processes count in one table, so that together they never admit more than the limit. One statement counts the
 * requests of a tick, and those that arrive while a statement runs, concurrently with the work of the requests. When
 * the table cannot be reached, requests are admitted.
 */
@Injectable()
export class RateLimiter {
  private readonly logger = new Logger(RateLimiter.name);
  private readonly windows = new LRUCache<string, Window>({ max: 10_000 });
  private queued = new Set<Window>();
  private counting = false;

  constructor(
    private readonly database: WriteDatabase,
    private readonly clock: Clock,
  ) {}

  /** Counts a request. @throws DomainError rate_limited at once when the window is known to be used up */
  admit(subject: RateSubject): Admission {
    const window = this.windowOf(subject);
    let remaining = remainingIn(window);
    const headers = () => this.headersOf(window, remaining);
    if (window.lease > 0) {
      window.lease -= 1;
      remaining -= 1;
      return { admitted: Promise.resolve(), headers };
    }
    if (window.used >= window.limit) throw this.refusal(window);

    const admitted = new Promise<void>((resolve, reject) => {
      window.waiting.push({
        admit: (left) => {
          remaining = left;
          resolve();
        },
        refuse: () => {
          remaining = 0;
          reject(this.refusal(window));
        },
      });
    });
    // A request that fails for another reason never looks at its admission.
    admitted.catch(() => undefined);
    this.enqueue(window);
    return { admitted, headers };
  }

  private windowOf(subject: RateSubject): Window {
    const key = `${subject.tenantId}/${subject.integrationId}`;
    const length = subject.period * 1000;
    const start = Math.floor(this.clock.now().getTime() / length) * length;
    const known = this.windows.get(key);
    // Terms that change within a window go on with its count.
    if (known?.start === start) return Object.assign(known, subject);
    const window: Window = { ...subject, start, used: 0, lease: 0, waiting: [] };
    this.windows.set(key, window);
    return window;
  }

  private enqueue(window: Window): void {
    if (this.queued.size === 0 && !this.counting) setImmediate(() => this.count());
    this.queued.add(window);
  }

  private async count(): Promise<void> {
    const batch = [...this.queued].map((window) => ({ window, requests: window.waiting.splice(0) }));
    this.queued = new Set();
    this.counting = true;
    try {
      const takes = batch.map(({ window, requests }) => takeFor(window, requests.length));
      const used = await countRequests(this.database.pool, takes);
      for (const [index, { window, requests }] of batch.entries())
        settle(window, requests, takes[index].amount, used[index]);
    } catch (error) {
      this.failOpen(batch, error as Error);
    } finally {
      this.counting = false;
      if (this.queued.size > 0) setImmediate(() => this.count());
    }
  }

  private failOpen(batch: { window: Window; requests: Waiting[] }[], error: Error): void {
    for (const { window, requests } of batch) {
      failedOpen.inc(requests.length);
      for (const request of requests) request.admit(remainingIn(window));
    }
    this.logger.warn(
      `Requests are let through uncounted, because the counters' database failed: ${error.message}`,
    );
  }

  private secondsLeft(window: Window): number {
    const end = window.start + window.period * 1000;
    return Math.max(1, Math.ceil((end - this.clock.now().getTime()) / 1000));
  }

  private headersOf(window: Window, remaining: number): Record<string, string> {
    return {
      'RateLimit-Policy': `"default";q=${window.limit};w=${window.period}`,
      RateLimit: `"default";r=${Math.max(0, remaining)};t=${this.secondsLeft(window)}`,
    };
  }

  private refusal(window: Window): DomainError {
    const seconds = this.secondsLeft(window);
    return new DomainError(
      'too_many',
      'rate_limited',
      `More than ${window.limit} requests in ${window.period} seconds. Try again in ${seconds} s.`,
      [],
      { 'Retry-After': String(seconds), ...this.headersOf(window, 0) },
    );
  }
}

function remainingIn(window: Window): number {
  return Math.max(0, window.limit - window.used) + window.lease;
}

function takeFor(window: Window, requests: number): Take {
  const lease = window.limit > exactUpTo ? Math.floor(window.limit / 100) : 0;
  const { tenantId, integrationId, start } = window;
  return { tenantId, integrationId, start, amount: Math.max(requests, lease) };
}

/** Distributes what a statement counted. Only the part of the amount below the limit is granted. */
function settle(window: Window, requests: Waiting[], amount: number, used: number): void {
  const before = used - amount;
  const granted = Math.min(amount, Math.max(0, window.limit - before));
  window.used = Math.max(window.used, used);
  window.lease += Math.max(0, granted - requests.length);
  requests.forEach((request, index) => {
    if (index < granted) request.admit(Math.max(0, window.limit - before - index - 1));
    else request.refuse();
  });
}
