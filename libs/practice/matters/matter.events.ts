import type { DomainEvent, StreamDefinition } from '#kernel/decider';
import type { Money } from '#kernel/money';
import type { RecordState } from '../records/record';

export interface MatterFields {
  clientId: string;
  divisionId: string;
  title: string;
  matterNumber: string;
  matterTypeId: string | null;
  responsiblePersonId: string | null;
  actingPersonId: string | null;
  assistingPersonId: string | null;
  introducerId: string | null;
  billingContactId: string | null;
  currency: string;
  feeEstimate: Money | null;
  disbursementEstimate: Money | null;
  rateSetId: string | null;
  taxCodeId: string | null;
  minutesPerUnit: string | null;
  /** ISO 8601 UTC. */
  dateOpened: string;
}

type Reference = Pick<RecordState, 'externalReference' | 'referenceOwner'>;

export type MatterEvent =
  | DomainEvent<'MatterCreated', MatterFields & Reference>
  | DomainEvent<'MatterUpdated', Partial<MatterFields & Reference>>
  | DomainEvent<'MatterClosed', { dateClosed: string }>
  | DomainEvent<'MatterReopened'>
  | DomainEvent<'MatterArchived', { dateArchived: string }>
  | DomainEvent<'MatterDeleted'>;

export const matterEvents: StreamDefinition<object, MatterEvent>['events'] = {
  MatterCreated: [(data) => ({ ...data, matterTypeId: null, rateSetId: null, taxCodeId: null })],
  MatterUpdated: [],
  MatterClosed: [],
  MatterReopened: [],
  MatterArchived: [],
  MatterDeleted: [],
};
