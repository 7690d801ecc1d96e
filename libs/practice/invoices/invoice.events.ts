import type { DomainEvent, StreamDefinition } from '#kernel/decider';
import type { DecimalText } from '#kernel/money';
import type { Day } from '#kernel/zone';
import type { RecordState } from '../records/record';

export const lineKinds = ['Fee', 'CostRecovery', 'Disbursement', 'Discount', 'Text'] as const;
export type LineKind = (typeof lineKinds)[number];

/** A line as requested, without its tax, which is computed when the invoice changes or is issued. */
export interface InvoiceLine {
  /** The line's number within the invoice. It is never used again. */
  id: number;
  kind: LineKind;
  /** The work item or cost recovery that the line charges; null for a line without such a source. */
  sourceId: string | null;
  description: string | null;
  /** Null for a line of text, and for a charge without units. */
  units: DecimalText | null;
  rate: DecimalText | null;
  /** Net of tax, to the minor unit; negative for a discount. */
  amount: DecimalText;
  /**
   * The tax code given with the line, or that of the cost that it charges. Null means the matter's, else the client's,
   * else the Standard one.
   */
  taxCodeId: string | null;
}

/** The rate of a tax code on the day of the taxation. */
export interface TaxRate {
  taxCodeId: string;
  percent: DecimalText;
}

/** How lines are taxed on a day: the tax code of lines that name none, and the rate of each code. */
export interface Taxation {
  defaultTaxCodeId: string | null;
  rates: TaxRate[];
}

export interface InvoiceFields {
  clientId: string;
  matterId: string;
  currency: string;
  issueDate: Day | null;
  dueDate: Day | null;
}

export interface Payment {
  /** The payment's number within the invoice. */
  id: number;
  day: Day;
  amount: DecimalText;
  reference: string | null;
}

type Reference = Pick<RecordState, 'externalReference' | 'referenceOwner'>;

export type InvoiceEvent =
  | DomainEvent<'InvoiceCreated', InvoiceFields & Reference>
  | DomainEvent<'InvoiceUpdated', Partial<Pick<InvoiceFields, 'issueDate' | 'dueDate'> & Reference>>
  | DomainEvent<'InvoiceLinesAdded', { lines: InvoiceLine[] }>
  | DomainEvent<'InvoiceLinesRemoved', { ids: number[] }>
  | DomainEvent<'InvoiceTaxed', Taxation>
  | DomainEvent<'InvoiceIssued', Taxation & { number: string; issueDate: Day; dueDate: Day }>
  | DomainEvent<'InvoiceUnissued', { day: Day }>
  | DomainEvent<'InvoiceVoided', { day: Day }>
  | DomainEvent<'InvoicePartPaid', { payment: Payment }>
  | DomainEvent<'InvoicePaid', { payment: Payment }>
  | DomainEvent<'InvoicePaymentReversed', { paymentId: number; day: Day; reason: string | null }>
  | DomainEvent<'InvoiceWrittenOff', { day: Day; amount: DecimalText; reason: string }>
  | DomainEvent<'InvoiceDeleted'>;

export const invoiceEvents: StreamDefinition<object, InvoiceEvent>['events'] = {
  InvoiceCreated: [],
  InvoiceUpdated: [],
  InvoiceLinesAdded: [],
  InvoiceLinesRemoved: [],
  InvoiceTaxed: [],
  InvoiceIssued: [],
  InvoiceUnissued: [],
  InvoiceVoided: [],
  InvoicePartPaid: [],
  InvoicePaid: [],
  InvoicePaymentReversed: [],
  InvoiceWrittenOff: [],
  InvoiceDeleted: [],
};
