import { CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { EventStore, type Written } from '#event-store/event-store';
import { at, holderOf, via } from '#event-store/load';
import type { UnitOfWork } from '#event-store/unit-of-work';
import { conflict } from '#kernel/errors';
import { newId, toId } from '#kernel/ids';
import { moneyFrom } from '#kernel/money';
import type { RequestContext } from '#platform/request-context';
import { Division } from '../divisions/division.lookup';
import { Entity, presentEntity, refuseErased } from '../entities/entity.lookup';
import { deleteAddressed, loadAddressed } from '../records/addressed-record';
import { completed } from '../records/merge-patch';
import { active, addressed, givenReference, loadAddressed, recordChanges } from '../records/record';
import { requireBaseCurrency, settings, settingsOf } from '../tenants/tenant.lookup';
import {
  activateEmployee,
  deactivateEmployee,
  deleteEmployee,
  Employee,
  type EmployeeState,
  ENTITY_EMPLOYEE,
  updateEmployee,
} from './employee';
import type { EmployeeInput, EmployeePatch } from './employee.input';

export class CreateEmployee {
  constructor(
    readonly context: RequestContext,
    readonly body: EmployeeInput,
  ) {}
}

export class UpdateEmployee {
  constructor(
    readonly context: RequestContext,
    readonly id: string,
    readonly body: EmployeePatch,
  ) {}
}

export class ActivateEmployee {
  constructor(
    readonly context: RequestContext,
    readonly id: string,
  ) {}
}

export class DeactivateEmployee {
  constructor(
    readonly context: RequestContext,
    readonly id: string,
  ) {}
}

export class DeleteEmployee {
  constructor(
    readonly context: RequestContext,
    readonly id: string,
  ) {}
}

type Done = Promise<Written<EmployeeState>>;

@CommandHandler(CreateEmployee)
export class CreateEmployeeHandler implements ICommandHandler<CreateEmployee> {
  constructor(private readonly store: EventStore) {}

  execute({ context, body }: CreateEmployee): Done {
    return this.store.execute(context, (work) => create(work, body), { status: 201 });
  }
}

@CommandHandler(UpdateEmployee)
export class UpdateEmployeeHandler implements ICommandHandler<UpdateEmployee> {
  constructor(private readonly store: EventStore) {}

  execute({ context, id, body }: UpdateEmployee): Done {
    return this.store.execute(context, (work) => update(work, id, body));
  }
}

@CommandHandler(ActivateEmployee)
export class ActivateEmployeeHandler implements ICommandHandler<ActivateEmployee> {
  constructor(private readonly store: EventStore) {}

  execute({ context, id }: ActivateEmployee): Done {
    return this.store.execute(context, async (work) => {
      const { employee, entity } = await work.load({
        employee: at(Employee, id),
        entity: via(Entity, id, 'entityId'),
      });
      const before = addressed(work, employee, 'employee');
      const events = activateEmployee(before.data);
      if (events.length > 0) refuseErased(entity);
      return work.change(Employee, before, events);
    });
  }
}

@CommandHandler(DeactivateEmployee)
export class DeactivateEmployeeHandler implements ICommandHandler<DeactivateEmployee> {
  constructor(private readonly store: EventStore) {}

  execute({ context, id }: DeactivateEmployee): Done {
    return this.store.execute(context, async (work) => {
      const before = await loadAddressed(work, Employee, id);
      return work.change(Employee, before, deactivateEmployee(before.data));
    });
  }
}

@CommandHandler(DeleteEmployee)
export class DeleteEmployeeHandler implements ICommandHandler<DeleteEmployee> {
  constructor(private readonly store: EventStore) {}

  execute({ context, id }: DeleteEmployee): Done {
    return this.store.execute(context, (work) => deleteAddressed(work, Employee, id, deleteEmployee));
  }
}

async function create(work: UnitOfWork, body: EmployeeInput) {
  const { context } = work;
  const { entityId, divisionId, defaultRate } = body;
  const found = await work.load({
    tenant: settingsOf(context),
    entity: at(Entity, entityId),
    division: at(Division, divisionId),
    holder: holderOf(ENTITY_EMPLOYEE, entityId),
  });
  presentEntity(found.entity, 'entityId');
  if (divisionId) active(found.division, 'division', 'divisionId');
  requireBaseCurrency(defaultRate?.Currency, settings(found.tenant), 'defaultRate/Currency');
  if (found.holder) {
    const id = toId('employee', found.holder);
    throw conflict('entity_employee_taken', `The entity is already the employee ${id}.`);
  }
  const data = {
    entityId,
    initials: body.initials ?? null,
    divisionId: divisionId ?? null,
    jobTitle: body.jobTitle ?? null,
    billingGrade: body.billingGrade ?? null,
    isFeeEarner: body.isFeeEarner ?? true,
    defaultRate: defaultRate ? moneyFrom(defaultRate) : null,
    ...givenReference(context, body.externalReference),
  };
  return work.create(Employee, newId('employee'), [{ type: 'EmployeeCreated', data }]);
}

async function update(work: UnitOfWork, id: string, asked: EmployeePatch) {
  const { context } = work;
  const found = await work.load({
    tenant: settingsOf(context),
    employee: at(Employee, id),
    division: at(Division, asked.divisionId),
  });
  const before = addressed(work, found.employee, 'employee');
  const body = completed<EmployeeInput>(asked, before.data);
  const patch = body.defaultRate ? { ...body, defaultRate: moneyFrom(body.defaultRate) } : body;
  const changes = recordChanges(context, before.data, patch, { isFeeEarner: true });
  if (changes.divisionId) active(found.division, 'division', 'divisionId');
  requireBaseCurrency(changes.defaultRate?.currency, settings(found.tenant), 'defaultRate/Currency');
  return work.change(Employee, before, updateEmployee(changes));
}

export const employeeHandlers = [
  CreateEmployeeHandler,
  UpdateEmployeeHandler,
  ActivateEmployeeHandler,
  DeactivateEmployeeHandler,
  DeleteEmployeeHandler,
];
