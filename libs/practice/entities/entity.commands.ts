import { at } from '#event-store/load';
import type { UnitOfWork } from '#event-store/unit-of-work';
import { newId } from '#kernel/ids';
import { deleteAddressed } from '../records/addressed-record';
import { ChangeCommand, CreateCommand, handlerOf, RecordCommand } from '../records/command';
import { addressed, givenReference, recordChanges } from '../records/record';
import { settings, settingsOf } from '../tenants/tenant.lookup';
import { createEntity, deleteEntity, Entity, updateEntity } from './entity';
import { addressFrom, type EntityInput, type EntityPatch } from './entity.input';

export class CreateEntity extends CreateCommand<EntityInput> {}

export class UpdateEntity extends ChangeCommand<EntityPatch> {}

export class DeleteEntity extends RecordCommand {}

export const CreateEntityHandler = handlerOf(CreateEntity, (work, { body }) => create(work, body));

export const UpdateEntityHandler = handlerOf(UpdateEntity, (work, { id, body }) => update(work, id, body));

export const DeleteEntityHandler = handlerOf(DeleteEntity, (work, { id }) =>
  deleteAddressed(work, Entity, id, deleteEntity),
);

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
