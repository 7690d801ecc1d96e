import type { Folded } from '#event-store/events';
import { at, holding, linksTo } from '#event-store/load';
import type { UnitOfWork } from '#event-store/unit-of-work';
import { notFound } from '#kernel/errors';
import { CLIENT_ENTITY, Client, ENTITY_CLIENT, OPEN_MATTER } from '../clients/client.lookup';
import { EMPLOYEE_ENTITY, Employee, ENTITY_EMPLOYEE } from '../employees/employee.lookup';
import { Activity } from '../records/activity';
import { handlerOf, RecordCommand } from '../records/command';
import { ENTITY_SUPPLIER, SUPPLIER_ENTITY, Supplier } from '../suppliers/supplier.lookup';
import { anonymiseEntity, Entity, type EntityState } from './entity';

export class AnonymiseEntity extends RecordCommand {}

/**
 * Erases a person's data for good, even that of a deleted record, which is kept like any other. The client, employee
 * and supplier that the person was are deactivated, too, so that no new records can refer to them.
 */
export const AnonymiseEntityHandler = handlerOf(AnonymiseEntity, (work, { id }) =>
  erase(work, id, { on: work.now.toISOString() }),
);

async function openMattersOf(work: UnitOfWork, clientId: string): Promise<number> {
  const { open } = await work.load({ open: linksTo(clientId, OPEN_MATTER) });
  work.requireUnlinked(clientId, OPEN_MATTER);
  return open;
}

/**
 * Erases a person's data.
 * @param on the instant of the erasure
 * @param again whether this repeats an earlier erasure, for which open matters do not count
 * @throws DomainError `not_found`, `open_matters`
 */
export async function erase(
  work: UnitOfWork,
  id: string,
  { on, again = false }: { on: string; again?: boolean },
): Promise<Folded<EntityState>> {
  const { entity, client, employee, supplier } = await work.load({
    entity: at(Entity, id),
    client: holding(Client, { kind: ENTITY_CLIENT, key: id }),
    employee: holding(Employee, { kind: ENTITY_EMPLOYEE, key: id }),
    supplier: holding(Supplier, { kind: ENTITY_SUPPLIER, key: id }),
  });
  if (!entity) throw notFound('entity');
  work.requireMatch(entity);
  const openMatters = client && !again ? await openMattersOf(work, client.id) : 0;
  // The append fails if the entity becomes a client, employee or supplier in the meantime.
  if (!client) work.requireUnlinked(id, CLIENT_ENTITY);
  if (!employee) work.requireUnlinked(id, EMPLOYEE_ENTITY);
  if (!supplier) work.requireUnlinked(id, SUPPLIER_ENTITY);
  const record = work.change(
    Entity,
    entity,
    anonymiseEntity(entity.data, { id: entity.id, openMatters, on }),
  );
  // A client that was never activated stays New. It cannot be activated any more.
  if (client?.data.state === Activity.Active)
    work.change(Client, client, [{ type: 'ClientDeactivated', data: {} }]);
  if (employee?.data.state === Activity.Active)
    work.change(Employee, employee, [{ type: 'EmployeeDeactivated', data: {} }]);
  if (supplier?.data.state === Activity.Active)
    work.change(Supplier, supplier, [{ type: 'SupplierDeactivated', data: {} }]);
  return record;
}
