import { Injectable, type OnModuleInit } from '@nestjs/common';
import { HttpAdapterHost } from '@nestjs/core';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { traceOf } from '#platform/http/trace';
import { Authenticator } from './authenticator';
import './current-context';

/** Addresses that belong to a tenant, as routes have them, and as they come where there is no route. */
const TENANT_ROUTE = '/:tenant/api/';
const TENANT_ADDRESS = /^\/([^/?]+)\/api\//;

/** Tells who asks before a byte of the body is read: a stranger is answered 401 whatever they send, and wherever to. */
@Injectable()
export class RequestAuthentication implements OnModuleInit {
  constructor(
    private readonly host: HttpAdapterHost,
    private readonly authenticator: Authenticator,
  ) {}

  onModuleInit(): void {
    const fastify = this.host.httpAdapter.getInstance<FastifyInstance>();
    fastify.addHook('onRequest', async (request: FastifyRequest) => {
      const tenantAlias = tenantAliasOf(request);
      if (tenantAlias === undefined) return;
      request.caller = await this.authenticator.authenticate({
        headers: request.headers,
        tenantAlias,
        correlationId: traceOf(request),
        span: request.span,
      });
    });
  }
}

function tenantAliasOf({ routeOptions, params, url }: FastifyRequest): string | undefined {
  if (routeOptions.url === undefined) return TENANT_ADDRESS.exec(url)?.[1];
  return routeOptions.url.startsWith(TENANT_ROUTE) ? (params as { tenant: string }).tenant : undefined;
}
