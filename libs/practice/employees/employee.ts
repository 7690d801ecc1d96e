import { type SwitchedState, simpleRecord } from '../records/simple-record';
import { type EmployeeFields, employeeEvents } from './employee.events';

export interface EmployeeState extends SwitchedState, EmployeeFields {}

/** Kind of link by which an employee points at its entity. */
export const EMPLOYEE_ENTITY = 'employee_entity';
/** Kind of natural key by which an entity is one employee at most. */
export const ENTITY_EMPLOYEE = 'entity_employee';

export const Employee = simpleRecord<EmployeeState>({
  kind: 'employee',
  name: 'Employee',
  events: employeeEvents,
  links: ({ entityId, divisionId }) => [
    { kind: EMPLOYEE_ENTITY, target: entityId },
    ...(divisionId ? [{ kind: 'employee_division', target: divisionId }] : []),
  ],
  keys: ({ entityId }) => [{ kind: ENTITY_EMPLOYEE, key: entityId }],
});
