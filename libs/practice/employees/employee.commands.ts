import { at, holderOf, via } from '#event-store/load';
import { conflict, invalid } from '#kernel/errors';
import { toId } from '#kernel/ids';
import { moneyFrom } from '#kernel/money';
import type { RequestContext } from '#platform/request-context';
import { Division } from '../divisions/division.lookup';
import { Entity, presentEntity, refuseErased } from '../entities/entity.lookup';
import { active } from '../records/record';
import type { RecordWriting } from '../records/write-record';
import { requireBaseCurrency, settings, settingsOf } from '../tenants/tenant.lookup';
import { Employee, type EmployeeState, ENTITY_EMPLOYEE } from './employee';
import type { EmployeeInput, EmployeePatch } from './employee.input';

function asks(context: RequestContext, { entityId, divisionId }: EmployeePatch, id?: string) {
  return {
    tenant: settingsOf(context),
    division: at(Division, divisionId),
    ...(entityId && !id && { entity: at(Entity, entityId), holder: holderOf(ENTITY_EMPLOYEE, entityId) }),
  };
}

export const employeeWriting: RecordWriting<EmployeeState, EmployeeInput, ReturnType<typeof asks>> = {
  definition: Employee,
  defaults: {
    entityId: '',
    initials: null,
    divisionId: null,
    jobTitle: null,
    billingGrade: null,
    isFeeEarner: true,
    defaultRate: null,
  },
  asks,
  stored: ({ defaultRate }) => (defaultRate ? { defaultRate: moneyFrom(defaultRate) } : {}),
  async checkActivation(work, id) {
    refuseErased((await work.load({ entity: via(Entity, id, 'entityId') })).entity);
  },
  check({ given: { entityId, divisionId, defaultRate }, found, before }) {
    if (!before) presentEntity(found.entity, 'entityId');
    if (divisionId) active(found.division, 'division', 'divisionId');
    requireBaseCurrency(defaultRate?.Currency, settings(found.tenant), 'defaultRate/Currency');
    if (before && entityId)
      throw invalid('entity_fixed', 'entityId: the entity of an employee cannot be changed.', 'entityId');
    if (found.holder) {
      const id = toId('employee', found.holder);
      throw conflict('entity_employee_taken', `The entity is already the employee ${id}.`);
    }
  },
};
