import type { DomainEvent } from '#kernel/decider';
import type { DecimalText, Money } from '#kernel/money';
import type { Day } from '#kernel/zone';
import type { BillableEvent } from '../billable/billable.events';
import type { DisbursementKind } from '../disbursement-codes/disbursement-code.events';
import type { RecordState } from '../records/record';

export interface CostRecoveryFields {
  matterId: string;
  disbursementCodeId: string;
  /** Whether the cost is the firm's own, is expected but not yet incurred, or was bought from a supplier. */
  kind: DisbursementKind;
  /** ISO 8601 UTC. */
  entryDate: string;
  /** The day of entryDate in the tenant's zone. */
  entryDay: Day;
  quantity: DecimalText;
  /** In the tenant's base currency. */
  unitAmount: Money;
  /** Rounded to the currency's minor unit. */
  total: DecimalText;
  taxCodeId: string;
  supplierId: string | null;
  description: string;
}

type Reference = Pick<RecordState, 'externalReference' | 'referenceOwner'>;

export type CostRecoveryEvent =
  | DomainEvent<'CostRecoveryCreated', CostRecoveryFields & Reference>
  | DomainEvent<'CostRecoveryUpdated', Partial<CostRecoveryFields & Reference>>
  | DomainEvent<'CostRecoveryDeleted'>
  | BillableEvent<'CostRecovery'>;

export const costRecoveryEvents = {
  CostRecoveryCreated: [],
  CostRecoveryUpdated: [],
  CostRecoveryFinalised: [],
  CostRecoveryUnfinalised: [],
  CostRecoveryReserved: [],
  CostRecoveryReleased: [],
  CostRecoveryBilled: [],
  CostRecoveryBillingReversed: [],
  CostRecoveryWrittenOff: [],
  CostRecoveryReinstated: [],
  CostRecoveryDeleted: [],
} satisfies Record<CostRecoveryEvent['type'], []>;
