import type { DomainEvent } from '#kernel/decider';
import type { RecordState } from '../records/record';

export interface DivisionFields {
  code: string | null;
  name: string;
  isDefault: boolean;
}

type Reference = Pick<RecordState, 'externalReference' | 'referenceOwner'>;

export type DivisionEvent =
  | DomainEvent<'DivisionCreated', DivisionFields & Reference>
  | DomainEvent<'DivisionUpdated', Partial<DivisionFields & Reference>>
  | DomainEvent<'DivisionActivated'>
  | DomainEvent<'DivisionDeactivated'>
  | DomainEvent<'DivisionDeleted'>;

export const divisionEvents = {
  DivisionCreated: [],
  DivisionUpdated: [],
  DivisionActivated: [],
  DivisionDeactivated: [],
  DivisionDeleted: [],
};
