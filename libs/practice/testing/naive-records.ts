import type { Decimal } from 'decimal.js';
import type { Part } from './naive-money';

/** The codes of the rules that refuse a request; empty if it was carried out. */
export type Refusals = string[];

export interface LedgerMatter {
  clientId: string;
  minutesPerUnit: number;
  /** The tax code of lines that name none. */
  taxCode: string;
  /** The client's payment terms. */
  paymentTermsDays: number;
  open: boolean;
}

/** A work item or a cost. */
export interface LedgerItem {
  id: string;
  matterId: string | null;
  /** Null for a cost. */
  employeeId: string | null;
  day: string;
  billable: boolean;
  /** Whether the cost was bought from a supplier. */
  bought: boolean;
  timed: boolean;
  ticks: number;
  /** The units of the request; null if they are derived from the ticks. */
  unitsGiven: number | null;
  minutesPerUnit: number;
  rate: number;
  title: string | null;
  taxCode: string | null;
  whole: Part;
  left: Part;
  state: 'Pending' | 'Finalised' | 'Billed' | 'WrittenOff' | 'Deleted';
  /** The latest day of the write-offs by request, until the item is reinstated. */
  offOn: string | null;
  invoiceId: string | null;
  /** How the invoice that charges the item settled it; null before the issue. */
  settled: { day: string; before: Part; billed: Part; off: Part; up: Part } | null;
}

/** A line as requested. The tax code is given by its name. */
export interface LineAsk {
  kind: 'Fee' | 'CostRecovery' | 'Disbursement' | 'Discount' | 'Text';
  sourceId?: string;
  units?: number;
  rate?: number;
  amount?: number;
  taxCode?: string;
}

export interface LedgerLine {
  id: number;
  kind: LineAsk['kind'];
  sourceId: string | null;
  units: Decimal | null;
  amount: Decimal;
  /** Null: the matter's. */
  taxCode: string | null;
}

export interface LedgerInvoice {
  clientId: string;
  matterId: string;
  state: 'Draft' | 'Issued' | 'PartPaid' | 'Paid' | 'Voided' | 'WrittenOff' | 'Deleted';
  number: string | null;
  issueDate: string | null;
  dueDate: string | null;
  lines: LedgerLine[];
  lineCount: number;
  payments: { amount: Decimal; reversed: boolean }[];
  writtenOff: Decimal;
}

export function isReserved({ invoiceId, state }: LedgerItem): boolean {
  return invoiceId !== null && state !== 'Billed';
}

/** Whether the item is unbilled, and so keeps its matter open. */
export function isUnbilled({ billable, state, left }: LedgerItem): boolean {
  return billable && (state === 'Pending' || state === 'Finalised') && !left.amount.isZero();
}

export function isPartWrittenOff({ whole, left }: LedgerItem): boolean {
  return !whole.amount.eq(left.amount) || !whole.units.eq(left.units);
}

export function owes({ state }: LedgerInvoice): boolean {
  return state === 'Issued' || state === 'PartPaid';
}
