import type { Folded } from '#event-store/events';
import { Activity } from '../records/activity';
import { inactive, referred } from '../records/record';
import { Employee, type EmployeeState } from './employee';

export { Employee, type EmployeeState };

/** An employee who takes new work. @throws DomainError employee_not_found, employee_not_active */
export function activeEmployee(
  folded: Folded<EmployeeState> | undefined,
  field: string,
): Folded<EmployeeState> {
  const employee = referred(folded, 'employee', field);
  if (employee.data.state !== Activity.Active) throw inactive('employee', field);
  return employee;
}
