import { column, reference, stateTable } from '../records/state-table';
import { Employee, type EmployeeState } from './employee';

export const employeesProjection = stateTable(Employee, {
  name: 'employees',
  version: 1,
  columns: {
    entity_id: reference<EmployeeState>(({ entityId }) => entityId),
    division_id: reference<EmployeeState>(({ divisionId }) => divisionId),
    employee_state: column<EmployeeState>('smallint', ({ state }) => state),
    is_fee_earner: column<EmployeeState>('boolean', ({ isFeeEarner }) => isFeeEarner),
    initials: column<EmployeeState>('text', ({ initials }) => initials),
    job_title: column<EmployeeState>('text', ({ jobTitle }) => jobTitle),
    billing_grade: column<EmployeeState>('text', ({ billingGrade }) => billingGrade),
  },
  words: ({ initials, jobTitle }) => [initials, jobTitle],
});
