import { column, stateTable } from '../records/state-table';
import { Role, type RoleState } from './role';

export const rolesProjection = stateTable(Role, {
  name: 'roles',
  version: 1,
  columns: {
    name: column<RoleState>('text', ({ name }) => name),
    role_kind: column<RoleState>('text', ({ kind }) => kind),
  },
  words: ({ name }) => [name],
});
