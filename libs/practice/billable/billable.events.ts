import type { DomainEvent } from '#kernel/decider';
import type { DecimalText } from '#kernel/money';
import type { Day } from '#kernel/zone';

/** A part of an item's value. */
export interface Portion {
  amount: DecimalText;
  units: DecimalText;
}

/** The dimensions by which fee analysis groups a movement. */
export interface Dimensions {
  matterId: string;
  employeeId: string;
  taskTypeId: string | null;
  currency: string;
}

/** A movement for fee analysis. Events carry null instead for records that fee analysis does not cover. */
export interface Movement extends Dimensions, Portion {
  day: Day;
}

/** How an invoice settles an item: the charge, and by how much it is below or above the remaining value. */
export interface Settlement {
  /** The invoice's day of issue. */
  day: Day;
  billed: Portion;
  writtenOff: Portion;
  writtenUp: Portion;
}

/** The events of a billable record, beside those of its creation, update and deletion. */
export type BillableEvent<Name extends string> =
  | DomainEvent<`${Name}Finalised`, { movement: Movement | null }>
  | DomainEvent<`${Name}Unfinalised`, { movement: Movement | null }>
  | DomainEvent<`${Name}Reserved`, { invoiceId: string }>
  | DomainEvent<`${Name}Released`, { invoiceId: string }>
  | DomainEvent<`${Name}Billed`, { invoiceId: string; settlement: Settlement; dimensions: Dimensions | null }>
  | DomainEvent<
      `${Name}BillingReversed`,
      {
        invoiceId: string;
        /** Whether the invoice is a draft again, which keeps the item reserved. */
        reserved: boolean;
        /** The day of the reversal. */
        day: Day;
        settlement: Settlement;
        dimensions: Dimensions | null;
      }
    >
  | DomainEvent<`${Name}WrittenOff`, Portion & { day: Day; reason: string; movement: Movement | null }>
  | DomainEvent<`${Name}Reinstated`, Portion & { day: Day; movement: Movement | null }>;
