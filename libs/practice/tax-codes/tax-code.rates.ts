import { conflict, invalid } from '#kernel/errors';
import type { DecimalText } from '#kernel/money';
import type { Day } from '#kernel/zone';
import type { TaxCodeState } from './tax-code';
import type { TaxCategory, TaxCodeFields, TaxCodeUsed, TaxRate } from './tax-code.events';

/** The rate of a tax code on a day: percent of the net amount, and its first day; null for a code without rates. */
export interface ChargedRate {
  percent: DecimalText;
  from: Day | null;
}

const taxed: readonly TaxCategory[] = ['Standard', 'Reduced'];

/** The rate that is in force on a day, if any. */
export function rateInForce(rates: readonly TaxRate[], day: Day): TaxRate | undefined {
  return rates.find(({ from, to }) => from <= day && (to === null || day <= to));
}

/**
 * The rate of a tax code on a day.
 * @param day the invoice's day of issue
 * @param field the field of the request that names the code, if any
 * @throws DomainError `tax_rate_not_found` (422) when the code has no rate on that day
 */
export function taxRateOn({ code, category, rates }: TaxCodeFields, day: Day, field?: string): ChargedRate {
  if (!taxed.includes(category)) return { percent: '0', from: null };
  const rate = rateInForce(rates, day);
  if (!rate) throw invalid('tax_rate_not_found', `The tax code ${code} has no rate on ${day}.`, field);
  return { percent: rate.percent, from: rate.from };
}

/**
 * The event by which an invoice, in its own append, marks a rate of a tax code as used: from then on the rate cannot change.
 * None if it is marked already.
 * @param rate the result of `taxRateOn`
 */
export function markTaxRateUsed({ used }: TaxCodeState, { from }: ChargedRate): TaxCodeUsed[] {
  return used?.includes(from) ? [] : [{ type: 'TaxCodeUsed', data: { from } }];
}

/**
 * Checks that a code has rates exactly if its category requires them, and that no two are in force on one day.
 * @param rates oldest first
 * @throws DomainError tax_rate_required, tax_rate_not_taken, tax_rate_ends_early, tax_rates_overlap (422)
 */
export function requireRates({ category, rates }: TaxCodeFields): void {
  if (taxed.includes(category) !== rates.length > 0) {
    throw taxed.includes(category)
      ? invalid('tax_rate_required', `rates: a ${category} code needs at least one.`, 'rates')
      : invalid('tax_rate_not_taken', `rates: a code of the category ${category} has none.`, 'rates');
  }
  for (const [index, rate] of rates.entries()) {
    if (rate.to !== null && rate.to < rate.from)
      throw invalid('tax_rate_ends_early', `rates: ${named(rate)} ends before it begins.`, 'rates');
    const before = rates[index - 1];
    if (before && (before.to === null || before.to >= rate.from))
      throw invalid('tax_rates_overlap', `rates: ${named(before)} and ${named(rate)} overlap.`, 'rates');
  }
}

/**
 * Checks that used rates stay as they are: only their last day can change.
 * @throws DomainError tax_code_used, tax_rate_used (409)
 */
export function requireUsedKept(before: TaxCodeState, next: TaxCodeFields): void {
  if (!before.used) return;
  if (before.scheme !== next.scheme || before.category !== next.category)
    throw conflict(
      'tax_code_used',
      'Invoices have used the code, so its scheme and category cannot be changed.',
    );
  for (const rate of before.rates.filter(({ from }) => before.used?.includes(from))) {
    if (!next.rates.some(({ from, percent }) => from === rate.from && percent === rate.percent))
      throw conflict(
        'tax_rate_used',
        `Invoices have used ${named(rate)}, so only its last day can be changed.`,
      );
  }
}

function named({ percent, from, to }: TaxRate): string {
  return `${percent} % from ${from}${to === null ? '' : ` to ${to}`}`;
}
