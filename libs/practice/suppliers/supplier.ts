import { type SwitchedState, simpleRecord } from '../records/simple-record';
import { type SupplierFields, supplierEvents } from './supplier.events';

export interface SupplierState extends SwitchedState, SupplierFields {}

/** Kind of link by which a supplier points at its entity. */
export const SUPPLIER_ENTITY = 'supplier_entity';
/** Kind of natural key by which an entity is one supplier at most. */
export const ENTITY_SUPPLIER = 'entity_supplier';

export const Supplier = simpleRecord<SupplierState>({
  kind: 'supplier',
  name: 'Supplier',
  events: supplierEvents,
  links: ({ entityId, taxCodeId, defaultDisbursementCodeId }) => [
    { kind: SUPPLIER_ENTITY, target: entityId },
    ...[taxCodeId, defaultDisbursementCodeId]
      .filter((id) => id !== null)
      .map((target) => ({ kind: 'supplier_terms', target })),
  ],
  keys: ({ entityId }) => [{ kind: ENTITY_SUPPLIER, key: entityId }],
});
