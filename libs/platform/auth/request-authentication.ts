import { Injectable, type OnModuleInit } from '@nestjs/common';
import { HttpAdapterHost } from '@nestjs/core';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { traceOf } from '#platform/http/trace';
import { Authenticator } from './authenticator';

/** The addresses that belong to a tenant: as routes declare them, and as they arrive where no route matches. */
const TENANT_ROUTE = '/:tenant/api/';
const TENANT_ADDRESS = /^\/([^/?]+)\/api\//;

/**
 * Authenticates a request before a byte of its body is read. A stranger gets 401, whatever they send and to whatever
 * address.
 */
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
