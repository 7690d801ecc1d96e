import { column, stateTable } from '../records/state-table';
import { Division, type DivisionState } from './division';

export const divisionsProjection = stateTable(Division, {
  name: 'divisions',
  version: 1,
  columns: {
    code: column<DivisionState>('text', ({ code }) => code),
    name: column<DivisionState>('text', ({ name }) => name),
    division_state: column<DivisionState>('smallint', ({ state }) => state),
    is_default: column<DivisionState>('boolean', ({ isDefault }) => isDefault),
  },
  words: ({ code, name }) => [code, name],
});
