import type { Span } from '@opentelemetry/api';

declare module 'fastify' {
  interface FastifyRequest {
    /** Set once the request is authenticated. */
    caller?: RequestContext;
  }
}

/** The tenant that a request is for, as the platform knows it. The tenant's settings are in a stream of its own. */
export interface TenantRef {
  id: number;
  alias: string;
  /** Partition of the feed that holds all of the tenant's events. */
  partition: number;
  /** UUID of the stream that holds the tenant's settings. */
  streamId: string;
}

/** The caller, the tenant and the limits of a request. The authenticator makes it, and it is passed on explicitly. */
export interface RequestContext {
  tenant: TenantRef;
  integrationId: string;
  /** `integration:<client id>`, or `cli`: what createdBy and updatedBy show. */
  actor: string;
  permissions: ReadonlySet<string>;
  correlationId: string;
  /** The span of a traced request, the parent of the spans of its work. */
  span?: Span;
  /**
   * Settles when the rate limit has counted the request; rejects with DomainError `too_many`. Awaited before any write
   * and before any answer.
   */
  admitted: Promise<void>;
  /** `RateLimit` and `RateLimit-Policy` for the answer; exact once `admitted` has settled. */
  rateLimitHeaders(): Record<string, string>;
  idempotency?: { key: string; hash: Buffer };
  /** The ETags that If-Match names: one of them must be the current version's. `*` matches any existing version. */
  ifMatch?: '*' | readonly string[];
}
