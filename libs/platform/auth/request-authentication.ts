import { Injectable, type OnModuleInit } from '@nestjs/common';
import { HttpAdapterHost } from '@nestjs/core';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { traceOf } from '#platform/http/trace';
import { Authenticator } from './authenticator';
import './current-context';

/** Addresses that belong to a tenant. */
const TENANT_ADDRESS = '/:tenant/api/';

/** Tells who asks before a byte of the body is read: a stranger is answered 401 whatever they send. */
@Injectable()
export class RequestAuthentication implements OnModuleInit {
  constructor(
    private readonly host: HttpAdapterHost,
    private readonly authenticator: Authenticator,
  ) {}

  onModuleInit(): void {
    const fastify = this.host.httpAdapter.getInstance<FastifyInstance>();
    fastify.addHook('onRequest', async (request: FastifyRequest) => {
      if (!request.routeOptions.url?.startsWith(TENANT_ADDRESS)) return;
      request.caller = await this.authenticator.authenticate({
        headers: request.headers,
        tenantAlias: (request.params as { tenant: string }).tenant,
        correlationId: traceOf(request),
        span: request.span,
      });
    });
  }
}
