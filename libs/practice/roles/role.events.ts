import type { SimpleEvent } from '../records/simple-record';

export const roleKinds = ['System', 'Custom'] as const;

export interface RoleFields {
  name: string;
  /** System roles come with being a client, an employee or a supplier; custom ones are the firm's own. */
  kind: (typeof roleKinds)[number];
}

export type RoleEvent = SimpleEvent<'Role', RoleFields>;

export const roleEvents = {
  RoleCreated: [],
  RoleUpdated: [],
  RoleDeleted: [],
} satisfies Record<RoleEvent['type'], []>;
