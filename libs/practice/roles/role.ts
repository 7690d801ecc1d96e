import type { DomainEvent } from '#kernel/decider';
import { conflict } from '#kernel/errors';
import { normalised } from '#kernel/names';
import type { RecordState } from '../records/record';
import { remove, simpleRecord } from '../records/simple-record';
import { type RoleFields, roleEvents } from './role.events';

export interface RoleState extends RecordState, RoleFields {}

/** The names of the roles that every tenant has. They are fixed, and name the kind of record that gives an entity the role. */
export const SYSTEM_ROLES = ['Client', 'Employee', 'Supplier'] as const;

/** The natural key of a role's name, which is unique regardless of case and of how accents are encoded. */
export function roleName(name: string): { kind: string; key: string } {
  return { kind: 'role_name', key: normalised(name).toLowerCase() };
}

export const Role = simpleRecord<RoleState>({
  kind: 'role',
  name: 'Role',
  events: roleEvents,
  keys: ({ name }) => [roleName(name)],
});

/** Refuses a system role. @throws DomainError system_role */
export function requireCustom({ kind, name }: RoleState): void {
  if (kind === 'System')
    throw conflict(
      'system_role',
      `${name} is a system role, which an entity has only by its client, employee or supplier record.`,
    );
}

/** Deletes a role. @param uses the number of entities that have the role */
export function deleteRole(uses: number, state: RoleState): DomainEvent[] {
  requireCustom(state);
  return remove(Role, uses);
}
