import { type CanActivate, type ExecutionContext, Injectable, type OnModuleInit } from '@nestjs/common';
import { PATH_METADATA } from '@nestjs/common/constants';
import { DiscoveryService, MetadataScanner, Reflector } from '@nestjs/core';
import type { FastifyRequest } from 'fastify';
import { DomainError } from '#kernel/errors';
import type { RequestContext } from '#platform/request-context';
import type { PermissionName } from './permissions';
import { conditionsOf } from './request-headers';

/** The permission that a route, or every route of a controller, requires. */
export const Permission = Reflector.createDecorator<PermissionName>();

/** Marks a route that anyone may use, such as health and descriptions. */
export const Public = Reflector.createDecorator<true>({ transform: () => true });

/** @throws DomainError permission_denied, which names the missing permission */
export function requirePermission(context: RequestContext, permission: PermissionName): void {
  if (!context.permissions.has(permission))
    throw new DomainError('forbidden', 'permission_denied', `The permission ${permission} is missing.`);
}

/**
 * Checks the permission of every REST route `/:tenant/…`; RequestAuthentication has identified the caller before. A
 * route that declares neither `Permission` nor `Public` stops the process at start.
 */
@Injectable()
export class PermissionGuard implements CanActivate, OnModuleInit {
  constructor(
    private readonly reflector: Reflector,
    private readonly discovery: DiscoveryService,
    private readonly scanner: MetadataScanner,
  ) {}

  onModuleInit(): void {
    const undeclared = this.discovery.getControllers().flatMap(({ metatype }) => {
      if (!metatype?.prototype) return [];
      const { prototype } = metatype;
      return this.scanner
        .getAllMethodNames(prototype)
        .filter((name) => Reflect.hasMetadata(PATH_METADATA, prototype[name]))
        .filter((name) => !this.declared(prototype[name], metatype))
        .map((name) => `${metatype.name}.${name}`);
    });
    if (undeclared.length > 0)
      throw new Error(`Routes without @Permission or @Public: ${undeclared.join(', ')}`);
  }

  canActivate(context: ExecutionContext): boolean {
    // GraphQL is authenticated before its document is read, in a hook of its route.
    if (context.getType<string>() !== 'http') return true;
    const declared = this.declared(context.getHandler(), context.getClass());
    if (declared === true) return true;
    if (!declared) throw new Error(`${context.getHandler().name} declares no permission`);

    const request = context.switchToHttp().getRequest<FastifyRequest>();
    const { caller } = request;
    if (!caller) throw new Error(`${request.routeOptions.url} is not under a tenant's address`);
    requirePermission(caller, declared);
    Object.assign(caller, conditionsOf(request));
    return true;
  }

  private declared(
    ...targets: Parameters<Reflector['getAllAndOverride']>[1]
  ): PermissionName | true | undefined {
    return (
      this.reflector.getAllAndOverride(Permission, targets) ??
      this.reflector.getAllAndOverride(Public, targets)
    );
  }
}
