import fc from 'fast-check';
import { decimal, text } from '#kernel/money';
import { Numbers } from './numbers';
import { amountOf, instantOf, maybeMoney, needed } from './row';

describe('reading the values of a row', () => {
  it.each([
    ['12.5000', '12.5'],
    ['12.0000', '12'],
    ['0.0000', '0'],
    ['-0.0000', '0'],
    ['-0.5000', '-0.5'],
    ['100', '100'],
    ['.5000', '0.5'],
    ['007.10', '7.1'],
    ['250.1234567891', '250.1234567891'],
  ])('gives %s as %s', (stored, plain) => {
    expect(amountOf(stored)).toBe(plain);
  });

  it('gives each decimal as decimal arithmetic would write it', () => {
    const stored = fc
      .tuple(fc.bigInt({ min: -(10n ** 18n), max: 10n ** 18n }), fc.integer({ min: 0, max: 10 }))
      .map(([digits, places]) => decimal(digits.toString()).div(decimal(10).pow(places)).toFixed(places));
    fc.assert(fc.property(stored, (value) => amountOf(value) === text(decimal(value))));
  });

  it('gives instants to the millisecond', () => {
    expect(instantOf('2026-03-31T09:30:00.1234567')).toBe('2026-03-31T09:30:00.123Z');
    expect(instantOf('2026-03-31T09:30:00')).toBe('2026-03-31T09:30:00.000Z');
    expect(instantOf('2026-03-31')).toBe('2026-03-31T00:00:00.000Z');
  });

  it('gives money only where there is an amount', () => {
    expect(maybeMoney('2.5000', 'GBP')).toEqual({ amount: '2.5', currency: 'GBP' });
    expect(maybeMoney(null, 'GBP')).toBeNull();
  });

  it('names the row whose needed value is missing', () => {
    expect(() => needed({ ImportId: 'W7', Rate: null }, 'Rate')).toThrow('Rate of row W7');
  });
});

describe('numbers', () => {
  it('continue after the last one, and are taken from the row when it has one', () => {
    const numbers = new Numbers({ matter_number: 17 });
    expect(numbers.take('matter_number', null)).toEqual({ number: '18', counters: { matter_number: 18 } });
    expect(numbers.take('matter_number', '5')).toEqual({ number: '5', counters: { matter_number: 5 } });
    expect(numbers.take('matter_number', 'A/5')).toEqual({ number: 'A/5', counters: undefined });
    expect(numbers.take('matter_number', null)).toEqual({ number: '19', counters: { matter_number: 19 } });
    expect(numbers.take('client_number', null).number).toBe('1');
  });
});
