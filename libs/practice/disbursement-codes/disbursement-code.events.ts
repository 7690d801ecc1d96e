import type { Money } from '#kernel/money';
import type { SwitchedEvent } from '../records/simple-record';

/** Kinds of costs: of the firm itself, expected but not yet incurred, bought from a supplier. */
export const disbursementKinds = ['CostRecovery', 'Anticipated', 'Incurred'] as const;
export type DisbursementKind = (typeof disbursementKinds)[number];

export interface DisbursementCodeFields {
  code: string;
  name: string;
  /** The kind of costs for which it may be used; null: any. */
  kind: DisbursementKind | null;
  taxCodeId: string;
  /** The default amount of a unit, in the tenant's base currency. */
  unitAmount: Money | null;
  /** The default description of costs with this code. */
  description: string | null;
  /** The usual supplier. */
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
