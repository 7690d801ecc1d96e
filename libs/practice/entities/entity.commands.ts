import { CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { EventStore, type Written } from '#event-store/event-store';
import { at } from '#event-store/load';
import type { UnitOfWork } from '#event-store/unit-of-work';
import { newId } from '#kernel/ids';
import type { RequestContext } from '#platform/request-context';
import { deleteAddressed } from '../records/addressed-record';
import { addressed, givenReference, recordChanges } from '../records/record';
import { settings, settingsOf } from '../tenants/tenant.lookup';
import { createEntity, deleteEntity, Entity, type EntityState, updateEntity } from './entity';
import { addressFrom, type EntityInput, type EntityPatch } from './entity.input';

export class CreateEntity {
  constructor(
    readonly context: RequestContext,
    readonly body: EntityInput,
  ) {}
}

export class UpdateEntity {
  constructor(
    readonly context: RequestContext,
    readonly id: string,
    readonly body: EntityPatch,
  ) {}
}

export class DeleteEntity {
  constructor(
    readonly context: RequestContext,
    readonly id: string,
  ) {}
}

type Done = Promise<Written<EntityState>>;

@CommandHandler(CreateEntity)
export class CreateEntityHandler implements ICommandHandler<CreateEntity> {
  constructor(private readonly store: EventStore) {}

  execute({ context, body }: CreateEntity): Done {
    return this.store.execute(context, (work) => create(work, body));
  }
}

@CommandHandler(UpdateEntity)
export class UpdateEntityHandler implements ICommandHandler<UpdateEntity> {
  constructor(private readonly store: EventStore) {}

  execute({ context, id, body }: UpdateEntity): Done {
    return this.store.execute(context, (work) => update(work, id, body));
  }
}

@CommandHandler(DeleteEntity)
export class DeleteEntityHandler implements ICommandHandler<DeleteEntity> {
  constructor(private readonly store: EventStore) {}

  execute({ context, id }: DeleteEntity): Done {
    return this.store.execute(context, (work) => deleteAddressed(work, Entity, id, deleteEntity));
  }
}

async function create(work: UnitOfWork, body: EntityInput) {
  const found = await work.load({ tenant: settingsOf(work.context) });
  const data = {
    entityType: body.entityType,
    lastName: body.lastName ?? null,
    firstName: body.firstName ?? null,
    title: body.title ?? null,
    name: body.name ?? null,
    currency: body.currency ?? settings(found.tenant).currency,
    email: body.email ?? null,
    phones: body.phones ?? [],
    addresses: (body.addresses ?? []).map(addressFrom),
    registrationNumber: body.registrationNumber ?? null,
    taxNumber: body.taxNumber ?? null,
    ...givenReference(work.context, body.externalReference),
  };
  return work.create(Entity, newId('entity'), createEntity(data));
}

async function update(work: UnitOfWork, id: string, body: EntityPatch) {
  const { context } = work;
  const found = await work.load({ entity: at(Entity, id), tenant: settingsOf(context) });
  const before = addressed(work, found.entity, 'entity');
  const patch = body.addresses ? { ...body, addresses: body.addresses.map(addressFrom) } : body;
  const { currency } = settings(found.tenant);
  const changes = recordChanges(context, before.data, patch, { phones: [], addresses: [], currency });
  return work.change(Entity, before, updateEntity(before.data, changes));
}

export const entityHandlers = [CreateEntityHandler, UpdateEntityHandler, DeleteEntityHandler];
