import { column, stateTable } from '../records/state-table';
import { Entity, type EntityState, fullName, sortName } from './entity';

/** The one read table with personal data in plain text; other lists and reports join it. */
export const peopleProjection = stateTable(Entity, {
  name: 'people',
  version: 1,
  table: 'people',
  columns: {
    entity_type: column<EntityState>('text', ({ entityType }) => entityType),
    sort_name: column<EntityState>('text', sortName),
    full_name: column<EntityState>('text', fullName),
    email: column<EntityState>('text', ({ email }) => email),
  },
  words: (state) => [fullName(state), state.email, state.registrationNumber, state.taxNumber],
});
