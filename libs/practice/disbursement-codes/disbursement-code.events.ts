import type { Money } from '#kernel/money';
import type { SwitchedEvent } from '../records/simple-record';

/** How costs of a code are incurred: by the firm itself, not yet, or from a supplier. */
export const disbursementKinds = ['CostRecovery', 'Anticipated', 'Incurred'] as const;
export type DisbursementKind = (typeof disbursementKinds)[number];

export interface DisbursementCodeFields {
  code: string;
  name: string;
  /** The kind of costs that it suits; null: any. */
  kind: DisbursementKind | null;
  taxCodeId: string;
  /** What one of it costs, in the tenant's base currency. */
  unitAmount: Money | null;
  /** What a cost of the code is called when nobody says otherwise. */
  description: string | null;
  /** From whom it is usually bought. */
  supplierId: string | null;
  /** Code of a published set by which bills are analysed: UTBMS E101 and on. */
  expenseCode: string | null;
}

export type DisbursementCodeEvent = SwitchedEvent<'DisbursementCode', DisbursementCodeFields>;

export const disbursementCodeEvents = {
  DisbursementCodeCreated: [],
  DisbursementCodeUpdated: [],
  DisbursementCodeActivated: [],
  DisbursementCodeDeactivated: [],
  DisbursementCodeDeleted: [],
} satisfies Record<DisbursementCodeEvent['type'], []>;
