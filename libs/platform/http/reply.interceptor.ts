import { type CallHandler, type ExecutionContext, Injectable, type NestInterceptor } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { from, mergeMap, type Observable } from 'rxjs';
import { contextOf } from '../auth/current-context';
import { Reply, setRateLimitHeaders } from './reply';

/** Writes a Reply out, and holds every answer until the rate limit has counted the request. */
@Injectable()
export class ReplyInterceptor implements NestInterceptor {
  intercept(execution: ExecutionContext, next: CallHandler): Observable<unknown> {
    // GraphQL answers through its own driver.
    if (execution.getType<string>() !== 'http') return next.handle();
    const http = execution.switchToHttp();
    const context = contextOf(http.getRequest<FastifyRequest>());
    return next
      .handle()
      .pipe(mergeMap((value) => from(this.finish(value, http.getResponse<FastifyReply>(), context))));
  }

  private async finish(
    value: unknown,
    reply: FastifyReply,
    context: ReturnType<typeof contextOf>,
  ): Promise<unknown> {
    await context?.admitted;
    setRateLimitHeaders(reply, context);
    if (!(value instanceof Reply)) return value;
    void reply.status(value.status).headers(value.headers);
    return value.body;
  }
}
