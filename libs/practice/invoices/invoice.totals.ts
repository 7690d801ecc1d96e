import type { Decimal } from 'decimal.js';
import { type DecimalText, decimal, roundMoney, text } from '#kernel/money';
import type { InvoiceLine, Taxation } from './invoice.events';

/** The totals of the lines with one tax code. */
export interface TaxTotal {
  taxCodeId: string;
  percent: DecimalText;
  net: DecimalText;
  /** Summed unrounded over the lines of the code, then rounded half-up to the minor unit. */
  tax: DecimalText;
}

export interface Totals {
  taxes: TaxTotal[];
  net: DecimalText;
  tax: DecimalText;
  total: DecimalText;
}

/** The tax code of a line; null for a line of text, which has no amount. */
export function taxCodeOf({ kind, taxCodeId }: InvoiceLine, { defaultTaxCodeId }: Taxation): string | null {
  return kind === 'Text' ? null : (taxCodeId ?? defaultTaxCodeId);
}

/**
 * The totals of an invoice's lines, by tax code in the order of the taxation's rates. The lines' amounts are net, to
 * the minor unit.
 * @see resources.md: Money
 */
export function totalsOf(lines: readonly InvoiceLine[], taxation: Taxation, currency: string): Totals {
  const nets = new Map<string, Decimal>();
  let net = decimal(0);
  for (const line of lines) {
    const code = taxCodeOf(line, taxation);
    if (code === null) continue;
    net = net.add(line.amount);
    nets.set(code, (nets.get(code) ?? decimal(0)).add(line.amount));
  }
  const taxes = taxation.rates
    .filter(({ taxCodeId }) => nets.has(taxCodeId))
    .map(({ taxCodeId, percent }) => {
      const taxed = nets.get(taxCodeId)!;
      const tax = roundMoney(taxed.mul(percent).div(100), currency);
      return { taxCodeId, percent, net: text(taxed), tax: text(tax) };
    });
  const tax = taxes.reduce((sum, one) => sum.add(one.tax), decimal(0));
  return { taxes, net: text(net), tax: text(tax), total: text(net.add(tax)) };
}
