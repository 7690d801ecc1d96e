import { randomUUID } from 'node:crypto';
import type { RequestContext, TenantRef } from '#platform/request-context';

/** An operator acts for a tenant without limits. */
export function operatorContext(tenant: TenantRef): RequestContext {
  return {
    tenant,
    integrationId: '00000000-0000-0000-0000-000000000000',
    actor: 'cli',
    permissions: new Set(),
    correlationId: randomUUID().replaceAll('-', ''),
    admitted: Promise.resolve(),
    rateLimitHeaders: () => ({}),
  };
}
