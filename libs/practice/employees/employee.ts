import type { Link, NaturalKey, StreamDefinition } from '#kernel/decider';
import { invalid } from '#kernel/errors';
import { Activity } from '../records/activity';
import { type RecordState, referenceKeys, refuseInUse } from '../records/record';
import { type EmployeeEvent, type EmployeeFields, employeeEvents } from './employee.events';

export interface EmployeeState extends RecordState, EmployeeFields {
  state: Activity;
}

/** Kind of link by which an employee points at its entity. */
export const EMPLOYEE_ENTITY = 'employee_entity';
/** Kind of natural key by which an entity is one employee at most. */
export const ENTITY_EMPLOYEE = 'entity_employee';

function linksOf({ isDeleted, entityId, divisionId }: EmployeeState): Link[] {
  if (isDeleted) return [];
  const entity = { kind: EMPLOYEE_ENTITY, target: entityId };
  return divisionId ? [entity, { kind: 'employee_division', target: divisionId }] : [entity];
}

function keysOf(state: EmployeeState): NaturalKey[] {
  if (state.isDeleted) return [];
  return [...referenceKeys('employee', state), { kind: ENTITY_EMPLOYEE, key: state.entityId }];
}

export const Employee: StreamDefinition<EmployeeState, EmployeeEvent> = {
  kind: 'employee',
  foldVersion: 1,
  events: employeeEvents,
  isDeleted: ({ isDeleted }) => isDeleted,
  links: linksOf,
  keys: keysOf,
  evolve(state, event) {
    if (event.type === 'EmployeeCreated') return { state: Activity.Active, isDeleted: false, ...event.data };
    const before = state as EmployeeState;
    switch (event.type) {
      case 'EmployeeUpdated':
        return { ...before, ...event.data };
      case 'EmployeeActivated':
        return { ...before, state: Activity.Active };
      case 'EmployeeDeactivated':
        return { ...before, state: Activity.Inactive };
      case 'EmployeeDeleted':
        return { ...before, isDeleted: true };
    }
  },
};

/** @param changes what differs from the present state */
export function updateEmployee({ entityId, ...changes }: Partial<EmployeeState>): EmployeeEvent[] {
  if (entityId !== undefined) {
    throw invalid('entity_fixed', 'entityId: the entity of an employee cannot be changed.', 'entityId');
  }
  return Object.keys(changes).length === 0 ? [] : [{ type: 'EmployeeUpdated', data: changes }];
}

export function activateEmployee({ state }: EmployeeState): EmployeeEvent[] {
  return state === Activity.Active ? [] : [{ type: 'EmployeeActivated', data: {} }];
}

export function deactivateEmployee({ state }: EmployeeState): EmployeeEvent[] {
  return state === Activity.Inactive ? [] : [{ type: 'EmployeeDeactivated', data: {} }];
}

/** @param uses how many links point at the employee */
export function deleteEmployee(uses: number): EmployeeEvent[] {
  refuseInUse('employee', uses);
  return [{ type: 'EmployeeDeleted', data: {} }];
}
