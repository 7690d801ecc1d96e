export { Supplier, type SupplierState } from './supplier';
