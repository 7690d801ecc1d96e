import * as fc from 'fast-check';
import { decimal, minorUnits, roundMoney, text } from '#kernel/money';
import { lineTaxes, type TaxedLine } from './ledes-tax';

const taxes = (tax: string, lines: [amount: string, rate: string][], currency = 'GBP') =>
  lineTaxes(
    lines.map(([amount, taxRate]) => ({ amount, taxRate })),
    tax,
    currency,
  ).map(text);

describe('the taxes of lines', () => {
  it('are rounded up where rounding down would lose most, and on earlier lines first', () => {
    expect(
      taxes('0.01', [
        ['0.01', '20'],
        ['0.02', '20'],
        ['0.02', '20'],
      ]),
    ).toEqual(['0', '0.01', '0']);
    expect(
      taxes('0.01', [
        ['0.02', '20'],
        ['0.02', '20'],
        ['0.01', '20'],
      ]),
    ).toEqual(['0.01', '0', '0']);
  });

  it('add up to the rounded tax of each rate', () => {
    // 20 %: 0.006 + 0.006 = 0.012, so 0.01; 5 %: 0.005 half-up, so 0.01. Without regard to rates, both of 20 % would get one.
    expect(
      taxes('0.02', [
        ['0.03', '20'],
        ['0.03', '20.0'],
        ['0.10', '5'],
      ]),
    ).toEqual(['0.01', '0', '0.01']);
  });

  it('add up over all lines when two codes with the same rate were rounded separately', () => {
    expect(
      taxes('0.02', [
        ['0.03', '20'],
        ['0.03', '20'],
      ]),
    ).toEqual(['0.01', '0.01']);
    expect(
      taxes('0', [
        ['0.02', '20'],
        ['0.02', '20'],
        ['0.02', '20'],
      ]),
    ).toEqual(['0', '0', '0']);
  });

  it('are negative for a discount', () => {
    expect(taxes('-2.47', [['-12.34', '20']])).toEqual(['-2.47']);
    expect(
      taxes('0', [
        ['12.34', '20'],
        ['-12.34', '20'],
      ]),
    ).toEqual(['2.47', '-2.47']);
  });

  it('are rounded to the minor unit of the currency', () => {
    expect(
      taxes(
        '1',
        [
          ['3', '10'],
          ['4', '10'],
        ],
        'JPY',
      ),
    ).toEqual(['0', '1']);
  });

  it.each([
    ['too high', '0.02', '0.03'],
    ['too low', '0', '0.10'],
    ['finer than the minor unit', '0.005', '0.03'],
    ['without a line that bears it', '0.01', '0'],
  ])('are refused for a tax that is %s', (_, tax, amount) => {
    expect(() => taxes(tax, [[amount, '20']])).toThrow('cannot be that of lines');
  });

  /** An invoice as the service taxes it: each code summed unrounded and then rounded; two codes may have one rate. */
  const coded = fc.record({
    currency: fc.constantFrom('GBP', 'AUD', 'JPY', 'KWD'),
    lines: fc.array(
      fc.record({
        minor: fc.integer({ min: -50_000, max: 1_000_000 }),
        code: fc.constantFrom('20', '20 again', '5', '17.5', '0'),
      }),
      { maxLength: 30 },
    ),
  });

  it('add up to the tax of any invoice, each rounded down or up', () => {
    fc.assert(
      fc.property(coded, ({ currency, lines }) => {
        const unit = decimal(10).pow(-minorUnits(currency));
        const taxed: TaxedLine[] = lines.map(({ minor, code }) => ({
          amount: text(unit.mul(minor)),
          taxRate: code.split(' ')[0],
        }));
        const exact = taxed.map(({ amount, taxRate }) => decimal(amount).mul(taxRate).div(100));
        const tax = [...new Set(lines.map(({ code }) => code))]
          .map((code) => exact.filter((_, index) => lines[index].code === code))
          .map((ofCode) =>
            roundMoney(
              ofCode.reduce((sum, one) => sum.plus(one), decimal(0)),
              currency,
            ),
          )
          .reduce((sum, one) => sum.plus(one), decimal(0));

        const found = lineTaxes(taxed, text(tax), currency);

        expect(text(found.reduce((sum, one) => sum.plus(one), decimal(0)))).toBe(text(tax));
        found.forEach((one, index) => {
          expect(one.minus(exact[index]).abs().lt(unit)).toBe(true);
          expect(one.decimalPlaces()).toBeLessThanOrEqual(minorUnits(currency));
        });
        expect(lineTaxes(taxed, text(tax), currency).map(text)).toEqual(found.map(text));
      }),
    );
  });
});
