import type { UnitOfWork } from '#event-store/unit-of-work';
import { newId } from '#kernel/ids';
import { givenReference } from '../records/record';
import { TaxCode } from './tax-code';
import type { TaxCodeFields, TaxRate } from './tax-code.events';

const rate = (percent: string, from: string, to: string | null = null): TaxRate => ({ percent, from, to });

/**
 * The codes that a tenant of a region starts with. They include older standard rates, for imported invoices.
 * @see https://www.gov.uk/vat-rates, A New Tax System (Goods and Services Tax) Act 1999 (Cth)
 */
const START: Record<'uk' | 'au', readonly TaxCodeFields[]> = {
  uk: [
    {
      code: 'STD',
      name: 'Standard rate',
      scheme: 'VAT',
      category: 'Standard',
      rates: [
        rate('17.5', '1991-04-01', '2008-11-30'),
        rate('15', '2008-12-01', '2009-12-31'),
        rate('17.5', '2010-01-01', '2011-01-03'),
        rate('20', '2011-01-04'),
      ],
    },
    {
      code: 'RED',
      name: 'Reduced rate',
      scheme: 'VAT',
      category: 'Reduced',
      rates: [rate('5', '1997-09-01')],
    },
    { code: 'ZERO', name: 'Zero rate', scheme: 'VAT', category: 'Zero', rates: [] },
    { code: 'EXEMPT', name: 'Exempt', scheme: 'VAT', category: 'Exempt', rates: [] },
    { code: 'OUT', name: 'Outside the scope of VAT', scheme: 'VAT', category: 'OutOfScope', rates: [] },
  ],
  au: [
    { code: 'GST', name: 'GST', scheme: 'GST', category: 'Standard', rates: [rate('10', '2000-07-01')] },
    { code: 'FREE', name: 'GST-free', scheme: 'GST', category: 'Zero', rates: [] },
    { code: 'INPUT', name: 'Input-taxed', scheme: 'GST', category: 'Exempt', rates: [] },
    { code: 'OUT', name: 'BAS-excluded', scheme: 'GST', category: 'OutOfScope', rates: [] },
  ],
};

/** Creates the tax codes of a new tenant. */
export function createTaxCodes(work: UnitOfWork, region: 'uk' | 'au'): void {
  for (const fields of START[region]) {
    const data = { ...fields, ...givenReference(work.context, null) };
    work.create(TaxCode, newId('taxcode'), [{ type: 'TaxCodeCreated', data }]);
  }
}
