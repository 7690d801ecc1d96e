import type { DomainEvent } from '#kernel/decider';
import type { RecordState } from '../records/record';

export const entityTypes = ['Individual', 'Organisation'] as const;
export type EntityType = (typeof entityTypes)[number];

export interface Address {
  street: string | null;
  city: string | null;
  region: string | null;
  postcode: string | null;
  country: string | null;
}

export interface EntityFields {
  entityType: EntityType;
  /** An individual's family name. */
  lastName: string | null;
  firstName: string | null;
  title: string | null;
  /** An organisation's name. */
  name: string | null;
  /** ISO 4217. */
  currency: string;
  email: string | null;
  phones: string[];
  addresses: Address[];
  registrationNumber: string | null;
  taxNumber: string | null;
}

type Reference = Pick<RecordState, 'externalReference' | 'referenceOwner'>;

export type EntityEvent =
  | DomainEvent<'EntityCreated', EntityFields & Reference>
  | DomainEvent<'EntityUpdated', Partial<Omit<EntityFields, 'entityType'> & Reference>>
  | DomainEvent<'RoleAssigned', { roleId: string }>
  | DomainEvent<'RoleRemoved', { roleId: string }>
  | DomainEvent<'EntityDeleted'>
  // A caller received an export of all data that is held on the person.
  | DomainEvent<'EntityExported'>
  /** @see EntityState.anonymisedOn */
  | DomainEvent<'EntityAnonymised', { shownAs: string; anonymisedOn: string }>;

export const entityEvents = {
  EntityCreated: [],
  EntityUpdated: [],
  RoleAssigned: [],
  RoleRemoved: [],
  EntityDeleted: [],
  EntityExported: [],
  EntityAnonymised: [],
};
