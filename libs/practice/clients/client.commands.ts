import { CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { EventStore, type Written } from '#event-store/event-store';
import { at, counter, holderOf, linksTo, via } from '#event-store/load';
import type { UnitOfWork } from '#event-store/unit-of-work';
import { conflict } from '#kernel/errors';
import { newId, toId } from '#kernel/ids';
import { numberGiven } from '#kernel/money';
import type { RequestContext } from '#platform/request-context';
import { Entity, presentEntity, refuseErased } from '../entities/entity.lookup';
import { RateSet } from '../rate-sets/rate-set.lookup';
import { deleteAddressed } from '../records/addressed-record';
import { follow, takeNumber } from '../records/numbering';
import { addressed, givenReference, recordChanges, referred } from '../records/record';
import { TaxCode } from '../tax-codes/tax-code.lookup';
import {
  activateClient,
  CLIENT_NUMBER,
  Client,
  type ClientState,
  deactivateClient,
  deleteClient,
  ENTITY_CLIENT,
  OPEN_MATTER,
  updateClient,
} from './client';
import type { ClientInput, ClientPatch } from './client.input';

export class CreateClient {
  constructor(
    readonly context: RequestContext,
    readonly body: ClientInput,
  ) {}
}

export class UpdateClient {
  constructor(
    readonly context: RequestContext,
    readonly id: string,
    readonly body: ClientPatch,
  ) {}
}

export class ActivateClient {
  constructor(
    readonly context: RequestContext,
    readonly id: string,
  ) {}
}

export class DeactivateClient {
  constructor(
    readonly context: RequestContext,
    readonly id: string,
  ) {}
}

export class DeleteClient {
  constructor(
    readonly context: RequestContext,
    readonly id: string,
  ) {}
}

type Done = Promise<Written<ClientState>>;

@CommandHandler(CreateClient)
export class CreateClientHandler implements ICommandHandler<CreateClient> {
  constructor(private readonly store: EventStore) {}

  execute({ context, body }: CreateClient): Done {
    return this.store.execute(context, (work) => create(work, body));
  }
}

@CommandHandler(UpdateClient)
export class UpdateClientHandler implements ICommandHandler<UpdateClient> {
  constructor(private readonly store: EventStore) {}

  execute({ context, id, body }: UpdateClient): Done {
    return this.store.execute(context, (work) => update(work, id, body));
  }
}

@CommandHandler(ActivateClient)
export class ActivateClientHandler implements ICommandHandler<ActivateClient> {
  constructor(private readonly store: EventStore) {}

  execute({ context, id }: ActivateClient): Done {
    return this.store.execute(context, async (work) => {
      const { client, entity } = await work.load({
        client: at(Client, id),
        entity: via(Entity, id, 'entityId'),
      });
      const before = addressed(work, client, 'client');
      const events = activateClient(before.data);
      if (events.length > 0) refuseErased(entity);
      return work.change(Client, before, events);
    });
  }
}

@CommandHandler(DeactivateClient)
export class DeactivateClientHandler implements ICommandHandler<DeactivateClient> {
  constructor(private readonly store: EventStore) {}

  execute({ context, id }: DeactivateClient): Done {
    return this.store.execute(context, async (work) => {
      const { client, open } = await work.load({ client: at(Client, id), open: linksTo(id, OPEN_MATTER) });
      const before = addressed(work, client, 'client');
      work.requireUnlinked(id, OPEN_MATTER);
      return work.change(Client, before, deactivateClient(before.data, open));
    });
  }
}

@CommandHandler(DeleteClient)
export class DeleteClientHandler implements ICommandHandler<DeleteClient> {
  constructor(private readonly store: EventStore) {}

  execute({ context, id }: DeleteClient): Done {
    return this.store.execute(context, (work) => deleteAddressed(work, Client, id, deleteClient));
  }
}

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
