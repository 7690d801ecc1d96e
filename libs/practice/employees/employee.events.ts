import type { DomainEvent } from '#kernel/decider';
import type { Money } from '#kernel/money';
import type { RecordState } from '../records/record';

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

type Reference = Pick<RecordState, 'externalReference' | 'referenceOwner'>;

export type EmployeeEvent =
  | DomainEvent<'EmployeeCreated', EmployeeFields & Reference>
  | DomainEvent<'EmployeeUpdated', Partial<Omit<EmployeeFields, 'entityId'> & Reference>>
  | DomainEvent<'EmployeeActivated'>
  | DomainEvent<'EmployeeDeactivated'>
  | DomainEvent<'EmployeeDeleted'>;

export const employeeEvents = {
  EmployeeCreated: [],
  EmployeeUpdated: [],
  EmployeeActivated: [],
  EmployeeDeactivated: [],
  EmployeeDeleted: [],
};
