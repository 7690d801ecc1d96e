import { column, stateTable } from '../records/state-table';
import { RateSet, type RateSetState } from './rate-set';

export const rateSetsProjection = stateTable(RateSet, {
  name: 'rate-sets',
  version: 1,
  columns: {
    name: column<RateSetState>('text', ({ name }) => name),
    is_default: column<RateSetState>('boolean', ({ isDefault }) => isDefault),
    from_day: column<RateSetState>('date', ({ from }) => from),
  },
  words: ({ name }) => [name],
});
