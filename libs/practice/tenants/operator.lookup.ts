import { randomUUID } from 'node:crypto';
import { NIL } from 'uuid';
import type { RequestContext, TenantRef } from '#platform/request-context';

/** An operator acts for a tenant without limits. */
export function operatorContext(tenant: TenantRef): RequestContext {
  return {
    tenant,
    integrationId: NIL,
    actor: 'cli',
    permissions: new Set(),
    correlationId: randomUUID().replaceAll('-', ''),
    admitted: Promise.resolve(),
    rateLimitHeaders: () => ({}),
  };
}
