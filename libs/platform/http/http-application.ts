import type { IncomingMessage } from 'node:http';
import { type DynamicModule, NotFoundException, type Type } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { FastifyAdapter, type NestFastifyApplication } from '@nestjs/platform-fastify';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { Config } from '../config';
import { JsonLogger } from '../json-logger';
import { registerRequestMetrics } from '../observability/request-metrics';
import { BodilessGuard } from './bodiless.guard';
import { refuseEncodedBodies } from './body/content-encoding';
import { BODY_LIMIT, limitDiscardedBodies } from './body/discarded-bodies';
import { registerJsonBody } from './body/json-body';
import { registerUploads, UPLOAD_MS } from './body/upload';
import { answerClientError, answerExpectations, refuseWithoutHost } from './client-error';
import { Drain } from './drain';
import { RequestPipe } from './input/request.pipe';
import { toProblem } from './problem';
import { ProblemFilter } from './problem.filter';
import { refuseUndecodableQueries } from './query-encoding';
import { registerReplyHook } from './reply-hook';
import { newTraceId, traceOf } from './trace';
import { registerUnreadAnswers } from './unread-answers';

/** Creates the HTTP server of a process, set up in the same way for every app. It does not listen yet. */
export async function createHttpApplication(
  module: Type | DynamicModule,
  config: Config,
  logger = new JsonLogger(config.LOG_LEVEL),
): Promise<NestFastifyApplication> {
  const adapter = new FastifyAdapter({
    bodyLimit: BODY_LIMIT,
    trustProxy: config.TRUSTED_PROXIES === 0 ? false : config.TRUSTED_PROXIES,
    genReqId: (request: IncomingMessage) => newTraceId(request.headers.traceparent),
    requestTimeout: UPLOAD_MS,
    http: { headersTimeout: 30_000, requireHostHeader: false },
    connectionTimeout: 60_000,
    // No part of a path is too long to be checked as an id: Node allows 16 KiB with all headers.
    routerOptions: { maxParamLength: 16_384 },
    return503OnClosing: false,
    clientErrorHandler: answerClientError,
    // An address that cannot be decoded never reaches a route, and so not its filter.
    frameworkErrors: (error: Error, request: FastifyRequest, reply: FastifyReply) => {
      const { status, headers, body } = toProblem(error, request.url, traceOf(request));
      // No hook of this request limits what is discarded of its body.
      if (!request.raw.complete) void reply.header('Connection', 'close');
      void reply
        .status(status)
        .headers({ ...headers, 'X-Trace-Id': body.traceId })
        .send(body);
    },
  });
  const fastify = adapter.getInstance() as unknown as FastifyInstance;
  const app = await NestFactory.create<NestFastifyApplication>(module, adapter, {
    bodyParser: false,
    abortOnError: false,
    logger,
  });
  answerExpectations(fastify.server);
  fastify.decorate('drain', new Drain(fastify));
  registerJsonBody(fastify);
  registerUploads(fastify);
  limitDiscardedBodies(fastify);
  registerRequestMetrics(fastify);
  registerUnreadAnswers(fastify);
  registerReplyHook(fastify);
  fastify.addHook('onRequest', (request, reply, done) => {
    void reply.header('X-Content-Type-Options', 'nosniff').header('X-Trace-Id', traceOf(request));
    done();
  });
  refuseWithoutHost(fastify);
  // These refuse in `preParsing`: what `onRequest` refuses is neither authenticated nor counted.
  // No address accepts QUERY. Fastify would refuse one without a body before it looks whether the address exists.
  fastify.addHook('preParsing', ({ method }, _reply, _payload, done) =>
    done(method === 'QUERY' ? new NotFoundException() : undefined),
  );
  refuseUndecodableQueries(fastify);
  refuseEncodedBodies(fastify);
  app.useGlobalGuards(new BodilessGuard());
  app.useGlobalPipes(new RequestPipe());
  app.useGlobalFilters(new ProblemFilter());
  return app;
}
