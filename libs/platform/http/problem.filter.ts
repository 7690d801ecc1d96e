import {
  type ArgumentsHost,
  Catch,
  type ExceptionFilter,
  Logger,
  MethodNotAllowedException,
  NotFoundException,
} from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { logFailure } from './failure-log';
import { methodsAt } from './openapi/described-methods';
import { type ProblemAnswer, toProblem } from './problem';
import { setRateLimitHeaders } from './reply';
import { traceOf } from './trace';

/** Answers every refusal and every failure with problem+json. Failures of the service are logged. */
@Catch()
export class ProblemFilter implements ExceptionFilter {
  private readonly log = new Logger(ProblemFilter.name);

  async catch(error: unknown, host: ArgumentsHost): Promise<void> {
    // GraphQL has its own format of errors.
    if (host.getType<string>() !== 'http') throw error;
    const request = host.switchToHttp().getRequest<FastifyRequest>();
    const reply = host.switchToHttp().getResponse<FastifyReply>();
    const traceId = traceOf(request);
    const refusal = (await overLimit(request)) ?? error;
    const problem = wrongMethod(refusal, request, traceId) ?? toProblem(refusal, request.url, traceId);
    if (problem.status >= 500) logFailure(this.log, refusal, traceId);
    setRateLimitHeaders(reply, request.caller);
    void reply.status(problem.status).headers(problem.headers).send(problem.body);
  }
}

/** The 405 answer with `Allow` (RFC 9110, section 15.5.6), if the router found no route only because of the method. */
function wrongMethod(
  error: unknown,
  { method, url }: FastifyRequest,
  traceId: string,
): ProblemAnswer | undefined {
  if (!(error instanceof NotFoundException)) return undefined;
  const methods = methodsAt(url);
  if (methods.length === 0 || methods.includes(method)) return undefined;
  const Allow = methods.join(', ');
  const refusal = new MethodNotAllowedException(`${method} is not possible at this address, but ${Allow}.`);
  const { status, headers, body } = toProblem(refusal, url, traceId);
  return { status, headers: { ...headers, Allow }, body };
}

/**
 * The refusal of a request over the rate limit. It takes precedence over anything else that is wrong with the request.
 */
export async function overLimit(request: FastifyRequest): Promise<unknown> {
  return request.caller?.admitted.then(
    () => undefined,
    (refusal: unknown) => refusal,
  );
}
