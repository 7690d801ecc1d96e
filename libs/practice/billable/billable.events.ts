import type { DomainEvent } from '#kernel/decider';
import type { DecimalText } from '#kernel/money';
import type { Day } from '#kernel/zone';

/** A part of a record's value. */
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

/** A movement in fee analysis, which does not cover every record. */
export interface Movement extends Dimensions, Portion {
  day: Day;
}

/** How an invoice settles a record: what it charges, and by how much that is less or more than what remained. */
export interface Settlement {
  /** The invoice's day of issue. */
  day: Day;
  billed: Portion;
  writtenOff: Portion;
  writtenUp: Portion;
}

/** The events of billing, which all billable records share. */
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
        /** The invoice is a draft again and keeps the item. */
        reserved: boolean;
        /** The day of the reversal. */
        day: Day;
        settlement: Settlement;
        dimensions: Dimensions | null;
      }
    >
  | DomainEvent<`${Name}WrittenOff`, Portion & { day: Day; reason: string; movement: Movement | null }>
  | DomainEvent<`${Name}Reinstated`, Portion & { day: Day; movement: Movement | null }>;
