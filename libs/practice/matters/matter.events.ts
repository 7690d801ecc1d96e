import type { DomainEvent } from '#kernel/decider';
import type { Money } from '#kernel/money';
import type { RecordState } from '../records/record';

export interface MatterFields {
  clientId: string;
  divisionId: string;
  title: string;
  matterNumber: string;
  responsiblePersonId: string | null;
  actingPersonId: string | null;
  assistingPersonId: string | null;
  introducerId: string | null;
  billingContactId: string | null;
  currency: string;
  feeEstimate: Money | null;
  disbursementEstimate: Money | null;
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

export const matterEvents = {
  MatterCreated: [],
  MatterUpdated: [],
  MatterClosed: [],
  MatterReopened: [],
  MatterArchived: [],
  MatterDeleted: [],
};
