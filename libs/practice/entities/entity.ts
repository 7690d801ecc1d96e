import type { StreamDefinition } from '#kernel/decider';
import { invalid } from '#kernel/errors';
import { type RecordState, referenceKeys, refuseInUse } from '../records/record';
import { type EntityEvent, type EntityFields, entityEvents } from './entity.events';

export interface EntityState extends RecordState, EntityFields {
  /** Custom roles; being a client, an employee or a supplier shows in those records. */
  roleIds: string[];
}

export const Entity: StreamDefinition<EntityState, EntityEvent> = {
  kind: 'entity',
  foldVersion: 2,
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
    ],
    // An id ends in random digits, so that erased people stay apart.
    erased: (id) => ({
      lastName: `Erased ${id.slice(-4)}`,
      firstName: null,
      title: null,
      name: `Erased ${id.slice(-4)}`,
      email: null,
      phones: [],
      addresses: [],
      registrationNumber: null,
      taxNumber: null,
    }),
  },
  evolve(state, event) {
    if (event.type === 'EntityCreated') return { isDeleted: false, roleIds: [], ...event.data };
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
    }
  },
};

export function createEntity(data: Omit<EntityState, 'isDeleted' | 'roleIds'>): EntityEvent[] {
  checkNames(data);
  return [{ type: 'EntityCreated', data }];
}

export function updateEntity(
  state: EntityState,
  { entityType, ...changes }: Partial<EntityState>,
): EntityEvent[] {
  if (entityType !== undefined) {
    throw invalid('entity_type_fixed', `entityType: the entity stays an ${state.entityType}.`, 'entityType');
  }
  if (Object.keys(changes).length === 0) return [];
  checkNames({ ...state, ...changes });
  return [{ type: 'EntityUpdated', data: changes }];
}

export function assignRole({ roleIds }: EntityState, roleId: string): EntityEvent[] {
  return roleIds.includes(roleId) ? [] : [{ type: 'RoleAssigned', data: { roleId } }];
}

export function removeRole({ roleIds }: EntityState, roleId: string): EntityEvent[] {
  return roleIds.includes(roleId) ? [{ type: 'RoleRemoved', data: { roleId } }] : [];
}

/** @param uses how many links point at the entity */
export function deleteEntity(uses: number): EntityEvent[] {
  refuseInUse('entity', uses);
  return [{ type: 'EntityDeleted', data: {} }];
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

/** An individual has a family name, an organisation a name, and neither has the other's. */
function checkNames(entity: Named): void {
  const { required, foreign } = NAMES[entity.entityType];
  if (!entity[required]?.trim()) {
    throw invalid('required', `${required} is required for an ${entity.entityType}.`, required);
  }
  const strange = foreign.find((field) => entity[field] !== null);
  if (strange) throw invalid('not_applicable', `${strange}: an ${entity.entityType} has none.`, strange);
}
