import type { DecimalText } from '#kernel/money';
import type { Day } from '#kernel/zone';
import type { Address } from '../../entities/entity.events';
import type { TaxScheme } from '../../tax-codes/tax-code.events';

/** An issued invoice with everything that its LEDES file contains. Amounts are in `currency`. */
export interface LedesInvoice {
  number: string;
  issueDate: Day;
  description: string | null;
  /** ISO 4217; also that in which the tax is reported. */
  currency: string;
  /** The sum of the lines' amounts. */
  net: DecimalText;
  /** Summed unrounded for each tax code, then rounded half-up to the minor unit. */
  tax: DecimalText;
  total: DecimalText;
  firm: LedesFirm;
  client: LedesClient;
  matter: LedesMatter;
  lines: LedesLine[];
}

export interface LedesFirm {
  /** The firm's id with its tax authority; without one, its id with the client. */
  id: string;
  name: string;
  address: Address | null;
  taxScheme: TaxScheme;
}

export interface LedesClient {
  /** The firm's number for the client. */
  id: string;
  name: string;
  address: Address | null;
  taxNumber: string | null;
  /** The client's own reference for the matter. */
  matterReference: string | null;
}

export interface LedesMatter {
  number: string;
  title: string;
}

export interface LedesLine {
  kind: 'Fee' | 'CostRecovery' | 'Disbursement' | 'Discount' | 'Text';
  day: Day;
  /** Hours where `unitCost` is by the hour, else pieces. */
  units: DecimalText;
  /** Null when the line has a single price, whatever its units. */
  unitCost: DecimalText | null;
  /** Before tax; below zero for a discount. */
  amount: DecimalText;
  /** Percent. */
  taxRate: DecimalText;
  description: string;
  taskCode: string | null;
  activityCode: string | null;
  expenseCode: string | null;
  timekeeper: LedesTimekeeper | null;
}

export interface LedesTimekeeper {
  /** The employee. The file contains `id` instead. */
  employeeId: string;
  id: string;
  /** As `Hopper, Grace`. */
  name: string;
  lastName: string;
  firstName: string;
  /** A code of at most ten characters from the list that LEDES publishes, as PARTNR, ASSOC or PARALG. */
  classification: string;
}
