import type { SwitchedEvent } from '../records/simple-record';

export interface SupplierFields {
  entityId: string;
  /** Of what it charges, unless the cost says otherwise. */
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
