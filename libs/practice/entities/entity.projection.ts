import { toUuid } from '#kernel/ids';
import { column, stateTable } from '../records/state-table';
import { Entity, type EntityState, fullName, sortName } from './entity';

/** The only read table with personal data in plain text. Other lists and reports join it. */
export const peopleProjection = stateTable(Entity, {
  name: 'people',
  version: 3,
  columns: {
    entity_type: column<EntityState>('text', ({ entityType }) => entityType),
    sort_name: column<EntityState>('text', sortName),
    full_name: column<EntityState>('text', fullName),
    email: column<EntityState>('text', ({ email }) => email),
    role_ids: column<EntityState>('uuid[]', ({ roleIds }) =>
      roleIds.length > 0 ? `{${roleIds.map(toUuid).join()}}` : null,
    ),
  },
  words: (state) => [fullName(state), state.email, state.registrationNumber, state.taxNumber],
});
