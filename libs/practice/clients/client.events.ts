import type { DomainEvent, StreamDefinition } from '#kernel/decider';
import type { DecimalText } from '#kernel/money';
import type { RecordState } from '../records/record';

export interface ClientFields {
  entityId: string;
  clientNumber: string;
  defaultRateSetId: string | null;
  taxCodeId: string | null;
  billingContactId: string | null;
  paymentTermsDays: number | null;
  /** The length of a unit of time in minutes; null means the tenant's. */
  minutesPerUnit: DecimalText | null;
}

type Reference = Pick<RecordState, 'externalReference' | 'referenceOwner'>;

export type ClientEvent =
  | DomainEvent<'ClientCreated', ClientFields & Reference>
  | DomainEvent<'ClientUpdated', Partial<Omit<ClientFields, 'entityId'> & Reference>>
  | DomainEvent<'ClientActivated'>
  | DomainEvent<'ClientDeactivated'>
  | DomainEvent<'ClientDeleted'>;

export const clientEvents: StreamDefinition<object, ClientEvent>['events'] = {
  ClientCreated: [(data) => ({ ...data, defaultRateSetId: null, taxCodeId: null })],
  ClientUpdated: [],
  ClientActivated: [],
  ClientDeactivated: [],
  ClientDeleted: [],
};
