import type { DomainEvent, StreamDefinition } from '#kernel/decider';
import type { DecimalText } from '#kernel/money';
import type { Day } from '#kernel/zone';
import type { RecordState } from '../records/record';

export const lineKinds = ['Fee', 'CostRecovery', 'Disbursement', 'Discount', 'Text'] as const;
export type LineKind = (typeof lineKinds)[number];

/** A line as it was asked for. Its tax is worked out when the invoice changes or is issued. */
export interface InvoiceLine {
  /** Counted within the invoice, never given twice. */
  id: number;
  kind: LineKind;
  /** The work item or cost recovery that it charges; null for a charge of its own. */
  sourceId: string | null;
  description: string | null;
  /** Null on a line of text, and where nothing is counted. */
  units: DecimalText | null;
  rate: DecimalText | null;
  /** Net of tax, to the minor unit; negative for a discount. */
  amount: DecimalText;
  /** Given with the line or by the cost that it charges; null: that of the matter, else the client's, else the Standard one. */
  taxCodeId: string | null;
}

/** What the lines of one tax code are charged by. */
export interface TaxRate {
  taxCodeId: string;
  percent: DecimalText;
}

/** How lines are taxed: the code of those that name none, and the rate of each code, on a day. */
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
  /** Counted within the invoice. */
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
