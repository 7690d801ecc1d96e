import { column, reference, stateTable } from '../records/state-table';
import { Supplier, type SupplierState } from './supplier';

export const suppliersProjection = stateTable(Supplier, {
  name: 'suppliers',
  version: 1,
  columns: {
    entity_id: reference<SupplierState>(({ entityId }) => entityId),
    activity: column<SupplierState>('smallint', ({ state }) => state),
  },
  words: () => [],
});
