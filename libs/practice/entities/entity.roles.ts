import { CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { EventStore, type Written } from '#event-store/event-store';
import { at } from '#event-store/load';
import type { UnitOfWork } from '#event-store/unit-of-work';
import type { RequestContext } from '#platform/request-context';
import { addressed, existing } from '../records/record';
import { Role, requireCustom } from '../roles/role.lookup';
import { assignRole, Entity, type EntityState, removeRole } from './entity';

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

type Done = Promise<Written<EntityState>>;

@CommandHandler(AssignRole)
export class AssignRoleHandler implements ICommandHandler<AssignRole> {
  constructor(private readonly store: EventStore) {}

  execute({ context, id, roleId }: AssignRole): Done {
    return this.store.execute(context, (work) => decideOnRole(work, id, roleId, assignRole));
  }
}

@CommandHandler(RemoveRole)
export class RemoveRoleHandler implements ICommandHandler<RemoveRole> {
  constructor(private readonly store: EventStore) {}

  execute({ context, id, roleId }: RemoveRole): Done {
    return this.store.execute(context, (work) => decideOnRole(work, id, roleId, removeRole));
  }
}

/** @throws DomainError `not_found` for the entity or the role, `system_role` */
async function decideOnRole(work: UnitOfWork, id: string, roleId: string, decide: typeof assignRole) {
  const { entity, role } = await work.load({ entity: at(Entity, id), role: at(Role, roleId) });
  const before = addressed(work, entity, 'entity');
  requireCustom(existing(role, 'role').data);
  return work.change(Entity, before, decide(before.data, roleId));
}

export const entityRoleHandlers = [AssignRoleHandler, RemoveRoleHandler];
