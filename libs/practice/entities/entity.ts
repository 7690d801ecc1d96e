import type { StreamDefinition } from '#kernel/decider';
import { conflict, invalid } from '#kernel/errors';
import { type RecordState, referenceKeys, refuseInUse } from '../records/record';
import { type EntityEvent, type EntityFields, entityEvents } from './entity.events';

export interface EntityState extends RecordState, EntityFields {
  /** The custom roles. The roles of client, employee and supplier follow from those records instead. */
  roleIds: string[];
  /**
   * The instant at which the personal data was erased; null while it exists. If the erasure was repeated in a restored
   * backup, this is the instant of the first erasure.
   */
  anonymisedOn: string | null;
}

/** The name shown for a person whose data was erased. An id ends in random digits, which keep such names distinct. */
const shownAs = (id: string) => `Erased ${id.slice(-4)}`;

/** The values of the personal fields after an erasure. */
function erased(shown: string) {
  return {
    lastName: shown,
    firstName: null,
    title: null,
    name: shown,
    email: null,
    phones: [],
    addresses: [],
    registrationNumber: null,
    taxNumber: null,
    externalReference: null,
  };
}

export const Entity: StreamDefinition<EntityState, EntityEvent> = {
  kind: 'entity',
  foldVersion: 3,
  events: entityEvents,
  isDeleted: ({ isDeleted }) => isDeleted,
  links: ({ isDeleted, roleIds }) =>
    isDeleted ? [] : roleIds.map((target) => ({ kind: 'entity_role', target })),
  keys: (state) => referenceKeys('entity', state),
  personal: {
    fields: [
      'lastName',
      'firstName',
      'title',
      'name',
      'email',
      'phones',
      'addresses',
      'registrationNumber',
      'taxNumber',
      // The reference by which another system knows the person.
      'externalReference',
    ],
    erased: (id) => erased(shownAs(id)),
    erasure: 'EntityAnonymised',
  },
  evolve(state, event) {
    if (event.type === 'EntityCreated') {
      return { isDeleted: false, roleIds: [], anonymisedOn: null, ...event.data };
    }
    const before = state as EntityState;
    switch (event.type) {
      case 'EntityUpdated':
        return { ...before, ...event.data };
      case 'RoleAssigned':
        return { ...before, roleIds: [...before.roleIds, event.data.roleId] };
      case 'RoleRemoved':
        return { ...before, roleIds: before.roleIds.filter((id) => id !== event.data.roleId) };
      case 'EntityDeleted':
        return { ...before, isDeleted: true };
      case 'EntityExported':
        return before;
      case 'EntityAnonymised':
        return { ...before, ...erased(event.data.shownAs), anonymisedOn: event.data.anonymisedOn };
    }
  },
};

export function createEntity(
  data: Omit<EntityState, 'isDeleted' | 'roleIds' | 'anonymisedOn'>,
): EntityEvent[] {
  checkNames(data);
  return [{ type: 'EntityCreated', data }];
}

export function updateEntity(
  state: EntityState,
  { entityType, ...changes }: Partial<EntityState>,
): EntityEvent[] {
  if (entityType !== undefined) {
    throw invalid(
      'entity_type_fixed',
      `entityType: it cannot be changed; the entity is an ${state.entityType}.`,
      'entityType',
    );
  }
  if (Object.keys(changes).length === 0) return [];
  refuseAnonymised(state);
  checkNames({ ...state, ...changes });
  return [{ type: 'EntityUpdated', data: changes }];
}

export function assignRole(state: EntityState, roleId: string): EntityEvent[] {
  if (state.roleIds.includes(roleId)) return [];
  refuseAnonymised(state);
  return [{ type: 'RoleAssigned', data: { roleId } }];
}

export function removeRole({ roleIds }: EntityState, roleId: string): EntityEvent[] {
  return roleIds.includes(roleId) ? [{ type: 'RoleRemoved', data: { roleId } }] : [];
}

/** @param uses how many links point at the entity */
export function deleteEntity(uses: number): EntityEvent[] {
  refuseInUse('entity', uses);
  return [{ type: 'EntityDeleted', data: {} }];
}

/**
 * Erases the personal data. The record and the references to it stay.
 * @param openMatters the number of open matters of the client that the entity is
 * @param on the instant of the erasure
 */
export function anonymiseEntity(
  { anonymisedOn }: EntityState,
  { id, openMatters, on }: { id: string; openMatters: number; on: string },
): EntityEvent[] {
  if (anonymisedOn !== null) return [];
  if (openMatters > 0) {
    const matters = `${openMatters} open matter${openMatters === 1 ? '' : 's'}`;
    throw conflict('open_matters', `The entity is a client with ${matters}.`);
  }
  return [{ type: 'EntityAnonymised', data: { shownAs: shownAs(id), anonymisedOn: on } }];
}

/** Refuses a change to an entity whose data was erased. @throws DomainError `anonymised` (409) */
function refuseAnonymised({ anonymisedOn }: EntityState): void {
  if (anonymisedOn !== null)
    throw conflict(
      'anonymised',
      'The personal data of the entity was erased, and it can be given no new data.',
    );
}

type Named = Pick<EntityFields, 'entityType' | 'lastName' | 'firstName' | 'title' | 'name'>;

/** `Family, Given`, or the organisation's name. */
export function sortName({ entityType, lastName, firstName, name }: Named): string {
  if (entityType === 'Organisation') return name!;
  return firstName ? `${lastName}, ${firstName}` : lastName!;
}

/** `Given Family`, or the organisation's name. */
export function fullName({ entityType, lastName, firstName, name }: Named): string {
  if (entityType === 'Organisation') return name!;
  return firstName ? `${firstName} ${lastName}` : lastName!;
}

const NAMES = {
  Individual: { required: 'lastName', foreign: ['name'] },
  Organisation: { required: 'name', foreign: ['lastName', 'firstName', 'title'] },
} as const;

/** Requires a family name for an individual and a name for an organisation, and refuses the other type's fields. */
function checkNames(entity: Named): void {
  const { required, foreign } = NAMES[entity.entityType];
  if (!entity[required]?.trim()) {
    throw invalid('required', `${required} is required for an ${entity.entityType}.`, required);
  }
  const strange = foreign.find((field) => entity[field] !== null);
  if (strange) throw invalid('not_applicable', `${strange}: an ${entity.entityType} has none.`, strange);
}
