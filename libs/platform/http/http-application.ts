import type { IncomingMessage } from 'node:http';
import { Logger, type Type } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { FastifyAdapter, type NestFastifyApplication } from '@nestjs/platform-fastify';
import type { FastifyError, FastifyInstance } from 'fastify';
import { Config } from '../config';
import { JsonLogger } from '../json-logger';
import { registerJsonBody } from './json-body';
import { toProblem } from './problem';
import { ProblemFilter } from './problem.filter';
import { ReplyInterceptor } from './reply.interceptor';
import { RequestPipe } from './request.pipe';
import { newTraceId, traceOf } from './trace';

const BODY_LIMIT = 1024 * 1024;

/** A process's HTTP server: one set-up for every app, not listening yet. */
export async function createHttpApplication(module: Type, config: Config): Promise<NestFastifyApplication> {
  const adapter = new FastifyAdapter({
    bodyLimit: BODY_LIMIT,
    trustProxy: config.TRUSTED_PROXIES === 0 ? false : config.TRUSTED_PROXIES,
    genReqId: (request: IncomingMessage) => newTraceId(request.headers.traceparent),
    requestTimeout: 30_000,
    connectionTimeout: 60_000,
    maxParamLength: 200,
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
  fastify.addHook('onRequest', async (request, reply) => {
    void reply.header('X-Content-Type-Options', 'nosniff').header('X-Trace-Id', traceOf(request));
  });
  // Faults before Nest's own filter: an unreadable body, one too large, a bad address.
  fastify.setErrorHandler((error: FastifyError, request, reply) => {
    const problem = toProblem(error, request.url, traceOf(request));
    if (problem.status >= 500)
      new Logger('Http').error({ msg: error.message, traceId: traceOf(request), stack: error.stack });
    void reply.status(problem.status).headers(problem.headers).send(problem.body);
  });
  app.useGlobalPipes(new RequestPipe());
  app.useGlobalFilters(new ProblemFilter());
  app.useGlobalInterceptors(new ReplyInterceptor());
  return app;
}
