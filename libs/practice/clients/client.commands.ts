import { at, counter, holderOf, linksTo, via } from '#event-store/load';
import type { UnitOfWork } from '#event-store/unit-of-work';
import { conflict } from '#kernel/errors';
import { newId, toId } from '#kernel/ids';
import { numberGiven } from '#kernel/money';
import { Entity, presentEntity, refuseErased } from '../entities/entity.lookup';
import { RateSet } from '../rate-sets/rate-set.lookup';
import { deleteAddressed } from '../records/addressed-record';
import { ChangeCommand, CreateCommand, handlerOf, RecordCommand } from '../records/command';
import { follow, takeNumber } from '../records/numbering';
import { addressed, givenReference, recordChanges, referred } from '../records/record';
import { TaxCode } from '../tax-codes/tax-code.lookup';
import {
  activateClient,
  CLIENT_NUMBER,
  Client,
  deactivateClient,
  deleteClient,
  ENTITY_CLIENT,
  OPEN_MATTER,
  updateClient,
} from './client';
import type { ClientInput, ClientPatch } from './client.input';

export class CreateClient extends CreateCommand<ClientInput> {}

export class UpdateClient extends ChangeCommand<ClientPatch> {}

export class ActivateClient extends RecordCommand {}

export class DeactivateClient extends RecordCommand {}

export class DeleteClient extends RecordCommand {}

export const CreateClientHandler = handlerOf(CreateClient, (work, { body }) => create(work, body));

export const UpdateClientHandler = handlerOf(UpdateClient, (work, { id, body }) => update(work, id, body));

export const ActivateClientHandler = handlerOf(ActivateClient, async (work, { id }) => {
  const { client, entity } = await work.load({
    client: at(Client, id),
    entity: via(Entity, id, 'entityId'),
  });
  const before = addressed(work, client, 'client');
  const events = activateClient(before.data);
  if (events.length > 0) refuseErased(entity);
  return work.change(Client, before, events);
});

export const DeactivateClientHandler = handlerOf(DeactivateClient, async (work, { id }) => {
  const { client, open } = await work.load({ client: at(Client, id), open: linksTo(id, OPEN_MATTER) });
  const before = addressed(work, client, 'client');
  work.requireUnlinked(id, OPEN_MATTER);
  return work.change(Client, before, deactivateClient(before.data, open));
});

export const DeleteClientHandler = handlerOf(DeleteClient, (work, { id }) =>
  deleteAddressed(work, Client, id, deleteClient),
);

async function create(work: UnitOfWork, body: ClientInput) {
  const { entityId, billingContactId, taxCodeId, defaultRateSetId } = body;
  const found = await work.load({
    entity: at(Entity, entityId),
    contact: at(Entity, billingContactId),
    taxCode: at(TaxCode, taxCodeId),
    rateSet: at(RateSet, defaultRateSetId),
    holder: holderOf(ENTITY_CLIENT, entityId),
    number: counter(CLIENT_NUMBER),
  });
  presentEntity(found.entity, 'entityId');
  if (billingContactId) presentEntity(found.contact, 'billingContactId');
  if (taxCodeId) referred(found.taxCode, 'taxcode', 'taxCodeId');
  if (defaultRateSetId) referred(found.rateSet, 'rateset', 'defaultRateSetId');
  if (found.holder) {
    throw conflict(
      'entity_client_taken',
      `The entity is already the client ${toId('client', found.holder)}.`,
    );
  }
  const data = {
    entityId,
    clientNumber: await takeNumber(work, Client, CLIENT_NUMBER, body.clientNumber, found.number),
    defaultRateSetId: defaultRateSetId ?? null,
    taxCodeId: taxCodeId ?? null,
    billingContactId: billingContactId ?? null,
    paymentTermsDays: body.paymentTermsDays ?? null,
    minutesPerUnit: numberGiven(body.minutesPerUnit),
    ...givenReference(work.context, body.externalReference),
  };
  return work.create(Client, newId('client'), [{ type: 'ClientCreated', data }]);
}

async function update(work: UnitOfWork, id: string, body: ClientPatch) {
  const { context } = work;
  const found = await work.load({
    client: at(Client, id),
    contact: at(Entity, body.billingContactId),
    taxCode: at(TaxCode, body.taxCodeId),
    rateSet: at(RateSet, body.defaultRateSetId),
    number: counter(CLIENT_NUMBER),
  });
  const before = addressed(work, found.client, 'client');
  const { minutesPerUnit } = body;
  const patch =
    minutesPerUnit === undefined ? body : { ...body, minutesPerUnit: numberGiven(minutesPerUnit) };
  const { clientNumber } = before.data;
  const changes = recordChanges(context, before.data, patch, { clientNumber });
  if (changes.billingContactId) presentEntity(found.contact, 'billingContactId');
  if (changes.taxCodeId) referred(found.taxCode, 'taxcode', 'taxCodeId');
  if (changes.defaultRateSetId) referred(found.rateSet, 'rateset', 'defaultRateSetId');
  const events = updateClient(changes);
  if (changes.clientNumber) follow(work, CLIENT_NUMBER, changes.clientNumber, found.number);
  return work.change(Client, before, events);
}

export const clientHandlers = [
  CreateClientHandler,
  UpdateClientHandler,
  ActivateClientHandler,
  DeactivateClientHandler,
  DeleteClientHandler,
];
