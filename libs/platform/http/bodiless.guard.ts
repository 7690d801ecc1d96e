import type { CanActivate, ExecutionContext, Type } from '@nestjs/common';
import { ROUTE_ARGS_METADATA } from '@nestjs/common/constants';
import { RouteParamtypes } from '@nestjs/common/enums/route-paramtypes.enum';
import type { FastifyRequest } from 'fastify';
import { isObject, notAnObject, unknownProperties } from './input/request.pipe';

/**
 * A write whose handler takes no body refuses every field, as the others refuse those that they do not know. What a
 * DELETE brings is passed over: it means nothing (RFC 9110, section 9.3.5). Of the application, so that it comes after the
 * guards of its modules: what the caller may do is told first.
 */
export class BodilessGuard implements CanActivate {
  private readonly known = new WeakMap<object, boolean>();

  /** @throws DomainError `validation_failed`, `not_an_object` (422) */
  canActivate(context: ExecutionContext): true {
    if (context.getType<string>() === 'http' && !this.takesBody(context.getClass(), context.getHandler()))
      requireNoFields(context.switchToHttp().getRequest<FastifyRequest>());
    return true;
  }

  private takesBody(controller: Type, handler: ReturnType<ExecutionContext['getHandler']>): boolean {
    let takes = this.known.get(handler);
    if (takes === undefined) {
      // By `kind:index`.
      const parameters = Reflect.getMetadata(ROUTE_ARGS_METADATA, controller, handler.name) ?? {};
      takes = Object.keys(parameters).some((key) => key.startsWith(`${RouteParamtypes.BODY}:`));
      this.known.set(handler, takes);
    }
    return takes;
  }
}

function requireNoFields({ method, body }: FastifyRequest): void {
  if (body === undefined || method === 'DELETE') return;
  if (!isObject(body)) throw notAnObject();
  const names = Object.keys(body);
  if (names.length > 0) throw unknownProperties(names);
}
