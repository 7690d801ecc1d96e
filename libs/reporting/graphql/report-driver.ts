import { ApolloServer, HeaderMap } from '@apollo/server';
import { ApolloDriver, type ApolloDriverConfig } from '@nestjs/apollo';
import { Injectable, Logger } from '@nestjs/common';
import { ModulesContainer } from '@nestjs/core';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { GraphQLError } from 'graphql';
import { Authenticator } from '#platform/auth/authenticator';
import { requirePermission } from '#platform/auth/permission.guard';
import { logFailure } from '#platform/http/failure-log';
import { toProblem } from '#platform/http/problem';
import { overLimit } from '#platform/http/problem.filter';
import { setRateLimitHeaders } from '#platform/http/reply';
import { traceOf } from '#platform/http/trace';
import { departure } from './departure';
import { tooLarge } from './document-limits';
import type { ReportContext } from './report-context';
import { SplicedAnswer } from './spliced-answer';

type GraphQLRequest = FastifyRequest<{ Params: { tenant: string } }>;

const logger = new Logger('Reports');

/**
 * Serves Apollo on one Fastify route, POST only. A request is authenticated before its body is read, and counted
 * against the rate limit while it is being executed. Refusals of both are problem+json as on every other route.
 */
@Injectable()
export class ReportDriver extends ApolloDriver {
  constructor(
    modules: ModulesContainer,
    private readonly authenticator: Authenticator,
  ) {
    super(modules);
  }

  override async registerServer(options: ApolloDriverConfig): Promise<void> {
    const server = new ApolloServer<ReportContext>(options as ConstructorParameters<typeof ApolloServer>[0]);
    await server.start();
    this.apolloServer = server as unknown as ApolloServer;
    const fastify = this.httpAdapterHost.httpAdapter.getInstance() as FastifyInstance;
    fastify.route({
      method: 'POST',
      url: options.path!,
      config: { storesNothing: true },
      onRequest: (request) => this.authenticate(request as GraphQLRequest),
      handler: (request, reply) => answer(server, request, reply),
      errorHandler: refuse,
    });
  }

  private async authenticate(request: GraphQLRequest): Promise<void> {
    request.caller = await this.authenticator.authenticate({
      headers: request.headers,
      tenantAlias: request.params.tenant,
      correlationId: traceOf(request),
      span: request.span,
    });
    requirePermission(request.caller, 'reports:read');
  }
}

async function answer(
  server: ApolloServer<ReportContext>,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<string> {
  const caller = request.caller!;
  const spliced = new SplicedAnswer();
  const executed = execute(server, request, spliced, departure(reply));
  const [{ status, headers, body }] = await Promise.all([executed, caller.admitted]);
  if (body.kind !== 'complete') throw new Error('An answer in parts was not asked for');
  setRateLimitHeaders(reply, caller);
  void reply
    .status(status ?? 200)
    .headers(Object.fromEntries(headers))
    .header('Cache-Control', 'no-store');
  return spliced.complete(body.string);
}

async function execute(
  server: ApolloServer<ReportContext>,
  request: FastifyRequest,
  spliced: SplicedAnswer,
  gone: AbortSignal,
) {
  const { query } = (request.body ?? {}) as { query?: unknown };
  const fault = typeof query === 'string' ? tooLarge(query) : undefined;
  if (fault) return refusal(fault);
  const headers = new HeaderMap();
  for (const [name, value] of Object.entries(request.headers)) if (value) headers.set(name, String(value));
  return server.executeHTTPGraphQLRequest({
    httpGraphQLRequest: { method: 'POST', headers, search: '', body: request.body },
    context: async () => ({
      request: request.caller!,
      gone,
      explains: request.headers['x-explain'] === '1',
      answer: spliced,
      // A null prototype, because an alias may be `__proto__`.
      notes: Object.create(null),
    }),
  });
}

function refusal({ message, extensions: { http: _, ...extensions } }: GraphQLError) {
  return {
    status: 400,
    headers: new Map([['content-type', 'application/json; charset=utf-8']]),
    body: { kind: 'complete' as const, string: JSON.stringify({ errors: [{ message, extensions }] }) },
  };
}

async function refuse(error: unknown, request: FastifyRequest, reply: FastifyReply): Promise<void> {
  const refusal = (await overLimit(request)) ?? error;
  const problem = toProblem(refusal, request.url, traceOf(request));
  if (problem.status >= 500) logFailure(logger, refusal, traceOf(request));
  setRateLimitHeaders(reply, request.caller);
  await reply.status(problem.status).headers(problem.headers).send(problem.body);
}
