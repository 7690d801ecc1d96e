import type { DomainEvent } from '#kernel/decider';
import type { DecimalText } from '#kernel/money';
import type { RecordState } from '../records/record';

export interface ClientFields {
  entityId: string;
  clientNumber: string;
  billingContactId: string | null;
  paymentTermsDays: number | null;
  /** Of a unit of time; null: the tenant's. */
  minutesPerUnit: DecimalText | null;
}

type Reference = Pick<RecordState, 'externalReference' | 'referenceOwner'>;

export type ClientEvent =
  | DomainEvent<'ClientCreated', ClientFields & Reference>
  | DomainEvent<'ClientUpdated', Partial<Omit<ClientFields, 'entityId'> & Reference>>
  | DomainEvent<'ClientActivated'>
  | DomainEvent<'ClientDeactivated'>
  | DomainEvent<'ClientDeleted'>;

export const clientEvents = {
  ClientCreated: [],
  ClientUpdated: [],
  ClientActivated: [],
  ClientDeactivated: [],
  ClientDeleted: [],
};
