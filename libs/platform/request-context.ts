import type { Span } from '@opentelemetry/api';

/** The tenant that a request is for, as the platform knows it; its settings are a stream of its own. */
export interface TenantRef {
  id: number;
  alias: string;
  /** Partition of the feed that holds all of the tenant's events. */
  partition: number;
  /** UUID of the stream that holds the tenant's settings. */
  streamId: string;
}

/** Who asks, for which tenant, under which limits. Made by the authenticator, handed on explicitly. */
export interface RequestContext {
  tenant: TenantRef;
  integrationId: string;
  /** `integration:<client id>`, or `cli`: what createdBy and updatedBy show. */
  actor: string;
  permissions: ReadonlySet<string>;
  correlationId: string;
  /** The span of a request that is traced, the parent of those of what is done for it. */
  span?: Span;
  /** Settles when the rate limit has counted the request; rejects with DomainError `too_many`. Awaited before any write and before any answer. */
  admitted: Promise<void>;
  /** `RateLimit` and `RateLimit-Policy` for the answer; exact once `admitted` has settled. */
  rateLimitHeaders(): Record<string, string>;
  idempotency?: { key: string; hash: Buffer };
  /** The ETags that If-Match names, one of which must be that of the version; `*`: any version that there is. */
  ifMatch?: '*' | readonly string[];
}
