import { CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { EventStore, type Written } from '#event-store/event-store';
import { at, holderOf, linksTo } from '#event-store/load';
import type { UnitOfWork } from '#event-store/unit-of-work';
import { notFound } from '#kernel/errors';
import { toId } from '#kernel/ids';
import type { RequestContext } from '#platform/request-context';
import { CLIENT_ENTITY, ENTITY_CLIENT, OPEN_MATTER } from '../clients/client.lookup';
import { anonymiseEntity, Entity, type EntityState } from './entity';

export class AnonymiseEntity {
  constructor(
    readonly context: RequestContext,
    readonly id: string,
  ) {}
}

/** Erases a person's data for good, also that of a deleted record: it is held like any other. */
@CommandHandler(AnonymiseEntity)
export class AnonymiseEntityHandler implements ICommandHandler<AnonymiseEntity> {
  constructor(private readonly store: EventStore) {}

  execute({ context, id }: AnonymiseEntity): Promise<Written<EntityState>> {
    return this.store.execute(context, (work) => anonymise(work, id));
  }
}

/** @throws DomainError `not_found`, `open_matters` */
async function anonymise(work: UnitOfWork, id: string) {
  const { entity, holder } = await work.load({
    entity: at(Entity, id),
    holder: holderOf(ENTITY_CLIENT, id),
  });
  if (!entity) throw notFound('entity');
  work.requireMatch(entity);
  const openMatters = holder ? await openMattersOf(work, toId('client', holder)) : 0;
  // Nor has it become a client meanwhile, of which nothing is known here.
  if (!holder) work.requireUnlinked(id, CLIENT_ENTITY);
  const on = work.now.toISOString();
  return work.change(Entity, entity, anonymiseEntity(entity.data, { id: entity.id, openMatters, on }));
}

async function openMattersOf(work: UnitOfWork, clientId: string): Promise<number> {
  const { open } = await work.load({ open: linksTo(clientId, OPEN_MATTER) });
  work.requireUnlinked(clientId, OPEN_MATTER);
  return open;
}
