import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import type { RequestContext } from '#platform/request-context';

/** A controller's parameter: the RequestContext that PermissionGuard left on the request. */
export const CurrentContext = createParamDecorator(
  (_: unknown, context: ExecutionContext): RequestContext => {
    const request = context.switchToHttp().getRequest<FastifyRequest>();
    const { caller } = request;
    if (!caller) throw new Error(`${request.routeOptions.url} is @Public: nobody is known to ask`);
    return caller;
  },
);
