import { given } from '#kernel/testing/given';
import { TaxCode, type TaxCodeState } from './tax-code';
import type { TaxCategory, TaxRate } from './tax-code.events';
import { markTaxRateUsed, requireRates, requireUsedKept, taxRateOn } from './tax-code.rates';

const old: TaxRate = { percent: '17.5', from: '2010-01-01', to: '2011-01-03' };
const now: TaxRate = { percent: '20', from: '2011-01-04', to: null };
const created = (category: TaxCategory = 'Standard', rates = [old, now]) => ({
  type: 'TaxCodeCreated',
  data: {
    code: 'STD',
    name: 'Standard rate',
    scheme: 'VAT',
    category,
    rates,
    externalReference: null,
    referenceOwner: null,
  },
});
const used = (from: string | null) => ({ type: 'TaxCodeUsed', data: { from } });
const state = (...past: object[]) => given(TaxCode, [created(), ...past] as never).state!;

describe('a tax code', () => {
  it('holds its code while it is not deleted', () => {
    expect(TaxCode.keys(state())).toEqual([{ kind: 'tax_code', key: 'STD' }]);
    expect(TaxCode.keys(state({ type: 'TaxCodeDeleted', data: {} }))).toEqual([]);
  });

  it.each([
    ['2010-01-01', '17.5', '2010-01-01'],
    ['2011-01-03', '17.5', '2010-01-01'],
    ['2011-01-04', '20', '2011-01-04'],
    ['2199-12-31', '20', '2011-01-04'],
  ])('charges on %s a rate of %s %%', (day, percent, from) => {
    expect(taxRateOn(state(), day)).toEqual({ percent, from });
  });

  it('has no rate before the first day of its first rate, nor after the last day of its last one', () => {
    given(TaxCode, [created()])
      .when((code) => markTaxRateUsed(code, taxRateOn(code, '2009-12-31')))
      .thenRefused('tax_rate_not_found');
    given(TaxCode, [created('Standard', [old])])
      .when((code) => markTaxRateUsed(code, taxRateOn(code, '2011-01-04')))
      .thenRefused('tax_rate_not_found');
  });

  it.each(['Zero', 'Exempt', 'OutOfScope'] as const)(
    'charges nothing on any day when it is %s',
    (category) => {
      const { state: code } = given(TaxCode, [created(category, [])]);
      expect(taxRateOn(code!, '1900-01-01')).toEqual({ percent: '0', from: null });
    },
  );

  it('is marked as used once for each rate', () => {
    const mark = (day: string) => (code: TaxCodeState) => markTaxRateUsed(code, taxRateOn(code, day));
    given(TaxCode, [created()])
      .when(mark('2025-06-12'))
      .thenEvents([used('2011-01-04')]);
    given(TaxCode, [created(), used('2011-01-04')])
      .when(mark('2025-06-13'))
      .thenEvents([]);
    given(TaxCode, [created(), used('2011-01-04')])
      .when(mark('2010-05-01'))
      .thenEvents([used('2010-01-01')]);
    given(TaxCode, [created('Zero', [])])
      .when(mark('2025-06-12'))
      .thenEvents([used(null)]);
    given(TaxCode, [created('Zero', []), used(null)])
      .when(mark('2025-06-12'))
      .thenEvents([]);
  });
});

describe('rates', () => {
  const day = (number: number) => `2025-01-0${number}`;
  const span = (from: number, to: number | null): TaxRate => ({
    ...({ percent: '5', from: day(from), to: to && day(to) } as TaxRate),
  });

  it.each<[string, TaxCategory, TaxRate[], string | null]>([
    ['are accepted one after the other', 'Standard', [span(1, 2), span(3, 4), span(6, null)], null],
    ['are accepted for a single day', 'Reduced', [span(1, 1)], null],
    ['are refused when two share a day', 'Standard', [span(1, 3), span(3, null)], 'tax_rates_overlap'],
    ['are refused after one without an end', 'Standard', [span(1, null), span(3, 4)], 'tax_rates_overlap'],
    ['are refused when two begin together', 'Reduced', [span(1, 1), span(1, null)], 'tax_rates_overlap'],
    ['are refused with a last day before the first', 'Standard', [span(2, 1)], 'tax_rate_ends_early'],
    ['are required', 'Standard', [], 'tax_rate_required'],
    ['are required', 'Reduced', [], 'tax_rate_required'],
    ['are not required', 'Zero', [], null],
    ['are not required', 'Exempt', [], null],
    ['are not required', 'OutOfScope', [], null],
    ['are refused', 'Zero', [span(1, null)], 'tax_rate_not_taken'],
    ['are refused', 'Exempt', [span(1, null)], 'tax_rate_not_taken'],
    ['are refused', 'OutOfScope', [span(1, null)], 'tax_rate_not_taken'],
  ])('%s, in the category %s', (_, category, rates, refused) => {
    const decided = given(TaxCode, [created(category, rates)]).when((code) => {
      requireRates(code);
      return [];
    });
    if (refused) decided.thenRefused(refused);
    else decided.thenEvents([]);
  });

  it('are named in the refusal when they overlap', () => {
    const { state: code } = given(TaxCode, [created('Standard', [span(1, 3), span(2, null)])]);
    expect(() => requireRates(code!)).toThrow(
      'rates: 5 % from 2025-01-01 to 2025-01-03 and 5 % from 2025-01-02 overlap.',
    );
  });

  const used2011 = [created(), used('2011-01-04')];
  const change = (past: object[], changes: Partial<TaxCodeState>) =>
    given(TaxCode, past as never).when((code) => {
      requireUsedKept(code, { ...code, ...changes });
      return [];
    });

  it.each<[string, Partial<TaxCodeState>]>([
    ['be end-dated', { rates: [old, { ...now, to: '2026-12-31' }] }],
    [
      'be end-dated and followed by another',
      { rates: [old, { ...now, to: '2026-12-31' }, { ...now, from: '2027-01-01' }] },
    ],
    ['stay when one that was not used is removed', { rates: [now] }],
    ['let the code be renamed', { code: 'VAT', name: 'VAT' }],
  ])('once used may %s', (_, changes) => change(used2011, changes).thenEvents([]));

  it.each<[string, Partial<TaxCodeState>, string]>([
    ['change', { rates: [old, { ...now, percent: '22' }] }, 'tax_rate_used'],
    ['begin on another day', { rates: [old, { ...now, from: '2012-01-01' }] }, 'tax_rate_used'],
    ['be removed', { rates: [old] }, 'tax_rate_used'],
    ['come under another category', { category: 'Reduced' }, 'tax_code_used'],
    ['come under another scheme', { scheme: 'GST' }, 'tax_code_used'],
  ])('once used cannot %s', (_, changes, code) => change(used2011, changes).thenRefused(code));

  it('can change freely before they are used', () => {
    change([created()], { category: 'Reduced', scheme: 'GST', rates: [] }).thenEvents([]);
    change([created('Zero', []), used(null)], { category: 'Exempt' }).thenRefused('tax_code_used');
  });
});
