import type { IncomingHttpHeaders } from 'node:http';
import { Injectable } from '@nestjs/common';
import type { Span } from '@opentelemetry/api';
import type { RequestContext } from '#platform/request-context';
import { AccessTokens, invalidToken } from './access-tokens';
import { Grants } from './grants';
import { RateLimiter } from './rate-limiter';
import { bearerOf } from './request-headers';
import { narrow } from './scopes';

/** Authenticates requests. Once token and grant are cached, a request costs neither a query nor crypto. */
@Injectable()
export class Authenticator {
  constructor(
    private readonly tokens: AccessTokens,
    private readonly grants: Grants,
    private readonly rateLimiter: RateLimiter,
  ) {}

  /**
   * Verifies the bearer token, finds what the tenant grants it, and starts counting the request.
   * @throws DomainError invalid_token; rate_limited when the limit is known to be used up
   */
  async authenticate(request: {
    headers: IncomingHttpHeaders;
    tenantAlias: string;
    correlationId: string;
    span?: Span;
  }): Promise<RequestContext> {
    const text = bearerOf(request.headers);
    if (text === undefined) throw invalidToken('A bearer token is required.', { tokenGiven: false });
    const token = await this.tokens.verify(text);
    const grant = await this.grants.find(token.integrationId, request.tenantAlias);
    if (!grant) throw invalidToken('The access token is not accepted for this tenant.');
    const { tenant, permissions, limit, period } = grant;
    const { integrationId, clientId, scope } = token;
    const admission = this.rateLimiter.admit({ tenantId: tenant.id, integrationId, limit, period });
    return {
      tenant,
      integrationId,
      actor: `integration:${clientId}`,
      permissions: narrow(permissions, scope),
      correlationId: request.correlationId,
      span: request.span,
      admitted: admission.admitted,
      rateLimitHeaders: admission.headers,
    };
  }
}
