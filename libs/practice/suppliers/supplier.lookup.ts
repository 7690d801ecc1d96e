export { ENTITY_SUPPLIER, SUPPLIER_ENTITY, Supplier, type SupplierState } from './supplier';
