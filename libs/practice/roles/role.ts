import type { DomainEvent } from '#kernel/decider';
import { conflict } from '#kernel/errors';
import { normalised } from '#kernel/names';
import type { RecordState } from '../records/record';
import { remove, simpleRecord } from '../records/simple-record';
import { type RoleFields, roleEvents } from './role.events';

export interface RoleState extends RecordState, RoleFields {}

/** What a tenant always has; their names are fixed, and tell which records give them. */
export const SYSTEM_ROLES = ['Client', 'Employee', 'Supplier'] as const;

/** Natural key by which a name is one role's alone, however it is capitalised and its accents are written. */
export function roleName(name: string): { kind: string; key: string } {
  return { kind: 'role_name', key: normalised(name).toLowerCase() };
}

export const Role = simpleRecord<RoleState>({
  kind: 'role',
  name: 'Role',
  events: roleEvents,
  keys: ({ name }) => [roleName(name)],
});

/** @throws DomainError system_role */
export function requireCustom({ kind, name }: RoleState): void {
  if (kind === 'System')
    throw conflict('system_role', `${name} is a system role: it comes and goes with its record.`);
}

/** @param uses how many entities have the role */
export function deleteRole(state: RoleState, uses: number): DomainEvent[] {
  requireCustom(state);
  return remove(Role, uses);
}
