import type { IncomingMessage } from 'node:http';
import type { DynamicModule, Type } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { FastifyAdapter, type NestFastifyApplication } from '@nestjs/platform-fastify';
import type { FastifyInstance } from 'fastify';
import { Config } from '../config';
import { JsonLogger } from '../json-logger';
import { registerRequestMetrics } from '../observability/request-metrics';
import { registerJsonBody } from './json-body';
import { ProblemFilter } from './problem.filter';
import { ReplyInterceptor } from './reply.interceptor';
import { RequestPipe } from './request.pipe';
import { newTraceId, traceOf } from './trace';

const BODY_LIMIT = 1024 * 1024;

/** A process's HTTP server: one set-up for every app, not listening yet. */
export async function createHttpApplication(
  module: Type | DynamicModule,
  config: Config,
): Promise<NestFastifyApplication> {
  const adapter = new FastifyAdapter({
    bodyLimit: BODY_LIMIT,
    trustProxy: config.TRUSTED_PROXIES === 0 ? false : config.TRUSTED_PROXIES,
    genReqId: (request: IncomingMessage) => newTraceId(request.headers.traceparent),
    requestTimeout: 30_000,
    connectionTimeout: 60_000,
    routerOptions: { maxParamLength: 200 },
    forceCloseConnections: 'idle',
    return503OnClosing: false,
  });
  const fastify = adapter.getInstance() as unknown as FastifyInstance;
  const app = await NestFactory.create<NestFastifyApplication>(module, adapter, {
    bodyParser: false,
    abortOnError: false,
    logger: new JsonLogger(config.LOG_LEVEL),
  });
  registerJsonBody(fastify);
  registerRequestMetrics(fastify);
  fastify.addHook('onRequest', async (request, reply) => {
    void reply.header('X-Content-Type-Options', 'nosniff').header('X-Trace-Id', traceOf(request));
  });
  app.useGlobalPipes(new RequestPipe());
  app.useGlobalFilters(new ProblemFilter());
  app.useGlobalInterceptors(new ReplyInterceptor());
  return app;
}
