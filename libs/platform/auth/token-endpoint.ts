import { Injectable, Logger, type OnModuleInit } from '@nestjs/common';
import { HttpAdapterHost } from '@nestjs/core';
import OAuth2Server from '@node-oauth/oauth2-server';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { logFailure } from '#platform/http/failure-log';
import { toProblem } from '#platform/http/problem';
import { traceOf } from '#platform/http/trace';
import { TokenIssuer } from './token-issuer';

const { InvalidRequestError, OAuthError } = OAuth2Server;
const formType = 'application/x-www-form-urlencoded';

/**
 * `POST /oauth2/token`, in a Fastify scope of its own: its bodies and errors are those of RFC 6749, not those of the
 * API.
 */
@Injectable()
export class TokenEndpoint implements OnModuleInit {
  private readonly logger = new Logger(TokenEndpoint.name);

  constructor(
    private readonly host: HttpAdapterHost,
    private readonly issuer: TokenIssuer,
  ) {}

  onModuleInit(): void {
    const fastify = this.host.httpAdapter.getInstance<FastifyInstance>();
    fastify.register(async (scope) => {
      scope.removeAllContentTypeParsers();
      scope.addContentTypeParser('*', { parseAs: 'string', bodyLimit: 16_384 }, (_request, body, done) =>
        done(null, body),
      );
      scope.setErrorHandler((error: Error, request, reply) => this.refuse(error, request, reply));
      scope.post('/oauth2/token', async (request, reply) => {
        if (request.headers['content-type']?.split(';')[0].trim().toLowerCase() !== formType)
          throw new InvalidRequestError(`The body must be ${formType}.`);
        const answer = await this.issuer.issue({
          // Some .NET clients write a byte order mark first.
          form: String(request.body ?? '').replace(/^\ufeff/, ''),
          headers: request.headers as Record<string, string>,
          address: request.ip,
        });
        return unstored(reply).send(answer);
      });
    });
  }

  private refuse(error: Error, request: FastifyRequest, reply: FastifyReply): FastifyReply {
    unstored(reply);
    if (error instanceof OAuthError) {
      const status = error.name === 'invalid_client' ? 401 : error.code;
      if (status === 401) reply.header('WWW-Authenticate', 'Basic realm="oauth2", charset="UTF-8"');
      if ('retryAfter' in error) reply.header('Retry-After', String(error.retryAfter));
      return reply.status(status).send({ error: error.name, error_description: error.message });
    }
    const traceId = traceOf(request);
    const { status } = toProblem(error, request.url, traceId);
    if (status < 500)
      return reply.status(status).send({ error: 'invalid_request', error_description: error.message });
    logFailure(this.logger, error, traceId);
    return reply.status(503).header('Retry-After', '1').send({
      error: 'temporarily_unavailable',
      error_description: 'Tokens cannot be given at the moment. Try again.',
    });
  }
}

/** RFC 6749 section 5.1: answers that may hold a token must not be cached. */
function unstored(reply: FastifyReply): FastifyReply {
  return reply.headers({ 'Cache-Control': 'no-store', Pragma: 'no-cache' });
}
