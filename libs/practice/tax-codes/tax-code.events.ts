import type { DomainEvent } from '#kernel/decider';
import type { DecimalText } from '#kernel/money';
import type { Day } from '#kernel/zone';
import type { SimpleEvent } from '../records/simple-record';

export const taxSchemes = ['VAT', 'GST'] as const;
export type TaxScheme = (typeof taxSchemes)[number];

/** Zero-rated, exempt and out-of-scope supplies all bear no tax, but a tax return counts each separately. */
export const taxCategories = ['Standard', 'Reduced', 'Zero', 'Exempt', 'OutOfScope'] as const;
export type TaxCategory = (typeof taxCategories)[number];

/** A rate is in force from its first to its last day; without a last day, until further notice. */
export interface TaxRate {
  percent: DecimalText;
  from: Day;
  to: Day | null;
}

export interface TaxCodeFields {
  code: string;
  name: string;
  scheme: TaxScheme;
  category: TaxCategory;
  /** Oldest first. */
  rates: TaxRate[];
}

/** An invoice has used the code's rate with that first day for the first time; null for codes without rates (Zero, Exempt, OutOfScope). */
export type TaxCodeUsed = DomainEvent<'TaxCodeUsed', { from: Day | null }>;

export type TaxCodeEvent = SimpleEvent<'TaxCode', TaxCodeFields> | TaxCodeUsed;

export const taxCodeEvents = {
  TaxCodeCreated: [],
  TaxCodeUpdated: [],
  TaxCodeUsed: [],
  TaxCodeDeleted: [],
} satisfies Record<TaxCodeEvent['type'], []>;
