import type { Money } from '#kernel/money';
import type { SwitchedEvent } from '../records/simple-record';

export interface EmployeeFields {
  entityId: string;
  initials: string | null;
  divisionId: string | null;
  jobTitle: string | null;
  billingGrade: string | null;
  isFeeEarner: boolean;
  /** The rate of an hour, in the tenant's base currency. */
  defaultRate: Money | null;
}

export type EmployeeEvent = SwitchedEvent<'Employee', EmployeeFields>;

export const employeeEvents = {
  EmployeeCreated: [],
  EmployeeUpdated: [],
  EmployeeActivated: [],
  EmployeeDeactivated: [],
  EmployeeDeleted: [],
} satisfies Record<EmployeeEvent['type'], []>;
