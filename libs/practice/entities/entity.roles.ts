import { at } from '#event-store/load';
import type { UnitOfWork } from '#event-store/unit-of-work';
import type { RequestContext } from '#platform/request-context';
import { handlerOf } from '../records/command';
import { addressed, existing } from '../records/record';
import { Role, requireCustom } from '../roles/role.lookup';
import { assignRole, Entity, removeRole } from './entity';

/** Assigns a role to an entity. The event is in the entity's own stream, so that its history and version include it. */
export class AssignRole {
  constructor(
    readonly context: RequestContext,
    readonly id: string,
    readonly roleId: string,
  ) {}
}

export class RemoveRole {
  constructor(
    readonly context: RequestContext,
    readonly id: string,
    readonly roleId: string,
  ) {}
}

export const AssignRoleHandler = handlerOf(AssignRole, (work, { id, roleId }) =>
  decideOnRole(work, id, roleId, assignRole),
);

export const RemoveRoleHandler = handlerOf(RemoveRole, (work, { id, roleId }) =>
  decideOnRole(work, id, roleId, removeRole),
);

/** @throws DomainError `not_found` for the entity or the role, `system_role` */
async function decideOnRole(work: UnitOfWork, id: string, roleId: string, decide: typeof assignRole) {
  const { entity, role } = await work.load({ entity: at(Entity, id), role: at(Role, roleId) });
  const before = addressed(work, entity, 'entity');
  requireCustom(existing(role, 'role').data);
  return work.change(Entity, before, decide(before.data, roleId));
}

export const entityRoleHandlers = [AssignRoleHandler, RemoveRoleHandler];
