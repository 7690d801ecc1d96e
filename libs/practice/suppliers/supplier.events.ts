import type { SwitchedEvent } from '../records/simple-record';

export interface SupplierFields {
  entityId: string;
  /** The tax code by which the supplier usually charges. */
  taxCodeId: string | null;
  defaultDisbursementCodeId: string | null;
  paymentTermsDays: number | null;
}

export type SupplierEvent = SwitchedEvent<'Supplier', SupplierFields>;

export const supplierEvents = {
  SupplierCreated: [],
  SupplierUpdated: [],
  SupplierActivated: [],
  SupplierDeactivated: [],
  SupplierDeleted: [],
} satisfies Record<SupplierEvent['type'], []>;
