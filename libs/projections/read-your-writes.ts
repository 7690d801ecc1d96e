import { Injectable, type OnModuleInit } from '@nestjs/common';
import { HttpAdapterHost } from '@nestjs/core';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { fromToken } from '#event-store/position';
import { ReachedPositions } from './reached-positions';

/** Handles `X-Min-Position` on a read: the read waits until every read model has applied that write of the tenant. */
@Injectable()
export class ReadYourWrites implements OnModuleInit {
  constructor(
    private readonly host: HttpAdapterHost,
    private readonly positions: ReachedPositions,
  ) {}

  onModuleInit(): void {
    const fastify = this.host.httpAdapter.getInstance<FastifyInstance>();
    fastify.addHook('preHandler', async (request: FastifyRequest) => {
      const token = request.headers['x-min-position'];
      const { caller } = request;
      const isRead =
        ['GET', 'HEAD'].includes(request.method) || request.routeOptions.url?.endsWith('/graphql');
      if (typeof token !== 'string' || !caller || !isRead) return;
      await this.positions.reach(caller.tenant, fromToken(token), 'X-Min-Position');
    });
  }
}
