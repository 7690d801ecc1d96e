import { column, reference, stateTable } from '../records/state-table';
import { MatterType, type MatterTypeState } from './matter-type';

export const matterTypesProjection = stateTable(MatterType, {
  name: 'matter-types',
  version: 1,
  columns: {
    code: column<MatterTypeState>('text', ({ code }) => code),
    name: column<MatterTypeState>('text', ({ name }) => name),
    activity: column<MatterTypeState>('smallint', ({ state }) => state),
    parent_id: reference<MatterTypeState>(({ parentId }) => parentId),
  },
  words: ({ code, name }) => [code, name],
});
