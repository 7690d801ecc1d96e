import { conflict, invalid } from '#kernel/errors';
import type { DecimalText } from '#kernel/money';
import type { Day } from '#kernel/zone';
import type { TaxCodeState } from './tax-code';
import type { TaxCategory, TaxCodeFields, TaxCodeUsed, TaxRate } from './tax-code.events';

/** What a tax code charges on a day: percent of the net amount, and since when; null of a code without rates. */
export interface ChargedRate {
  percent: DecimalText;
  from: Day | null;
}

const taxed: readonly TaxCategory[] = ['Standard', 'Reduced'];

/** The rate of those that is in force on a day, if one is. */
export function rateInForce(rates: readonly TaxRate[], day: Day): TaxRate | undefined {
  return rates.find(({ from, to }) => from <= day && (to === null || day <= to));
}

/**
 * The rate in force.
 * @param day of the invoice's issue
 * @param field that names the code, if one of the request does
 * @throws DomainError `tax_rate_not_found` (422) when the code has none on that day
 */
export function taxRateOn({ code, category, rates }: TaxCodeFields, day: Day, field?: string): ChargedRate {
  if (!taxed.includes(category)) return { percent: '0', from: null };
  const rate = rateInForce(rates, day);
  if (!rate) throw invalid('tax_rate_not_found', `The tax code ${code} has no rate on ${day}.`, field);
  return { percent: rate.percent, from: rate.from };
}

/**
 * What an invoice that charges by the code appends to the code's stream, once for each code, in its own append: from
 * then on the rate stays as it is. Nothing when it was marked before.
 * @param rate of `taxRateOn`
 */
export function markTaxRateUsed({ used }: TaxCodeState, { from }: ChargedRate): TaxCodeUsed[] {
  return used?.includes(from) ? [] : [{ type: 'TaxCodeUsed', data: { from } }];
}

/**
 * Rates go with the category, and no two are in force on one day.
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
 * What an invoice has charged by stays: of a used rate only the last day can change.
 * @throws DomainError tax_code_used, tax_rate_used (409)
 */
export function requireUsedKept(before: TaxCodeState, next: TaxCodeFields): void {
  if (!before.used) return;
  if (before.scheme !== next.scheme || before.category !== next.category)
    throw conflict('tax_code_used', 'Invoices have used the code: its scheme and category stay.');
  for (const rate of before.rates.filter(({ from }) => before.used?.includes(from))) {
    if (!next.rates.some(({ from, percent }) => from === rate.from && percent === rate.percent))
      throw conflict('tax_rate_used', `Invoices have used ${named(rate)}: only its last day can change.`);
  }
}

function named({ percent, from, to }: TaxRate): string {
  return `${percent} % from ${from}${to === null ? '' : ` to ${to}`}`;
}
