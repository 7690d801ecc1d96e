import type { CanActivate, ExecutionContext, Type } from '@nestjs/common';
import { ROUTE_ARGS_METADATA } from '@nestjs/common/constants';
import { RouteParamtypes } from '@nestjs/common/enums/route-paramtypes.enum';
import type { FastifyRequest } from 'fastify';
import { isObject, notAnObject, unknownProperties } from './input/request.pipe';

/**
 * Refuses every field of a write whose handler takes no body, as other handlers refuse unknown fields. The body of a
 * DELETE is ignored: it means nothing (RFC 9110, section 9.3.5). This is a guard of the application, so it runs after
 * the guards of the modules: a missing permission is reported first.
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
      // The keys are `kind:index`.
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
