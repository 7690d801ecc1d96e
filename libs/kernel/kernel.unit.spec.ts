import * as fc from 'fast-check';
import { isId, kindOf, newId, toId, toUuid } from './ids';
import { decimal, minorUnits, moneyFrom, moneyRecord, roundMoney, text } from './money';
import { TICKS_PER_MINUTE, unitsOf } from './ticks';
import { dayIn } from './zone';

describe('ids', () => {
  it('carry their kind, and sort by time', () => {
    const ids = Array.from({ length: 100 }, () => newId('matter'));
    expect(ids.every((id) => isId('matter', id))).toBe(true);
    expect([...ids].sort()).toEqual(ids);
    expect(toId('matter', toUuid(ids[0]))).toBe(ids[0]);
  });

  it.each([
    'matter_123',
    'Matter_0198c2f1a4b87c3d9e5f60718293a4b5',
    'thing_0198c2f1a4b87c3d9e5f60718293a4b5',
    '',
    7,
    null,
  ])('%p is not an id', (text) => expect(kindOf(text)).toBeUndefined());
});

describe('money', () => {
  it('rounds half up to the minor unit of the currency', () => {
    expect(text(roundMoney(decimal('1.005'), 'GBP'))).toBe('1.01');
    expect(text(roundMoney(decimal('-1.005'), 'GBP'))).toBe('-1.01');
    expect(text(roundMoney(decimal('1.5'), 'JPY'))).toBe('2');
    expect(text(roundMoney(decimal('1.005'), 'HUF'))).toBe('1.01');
  });

  it.each([
    [0, ['JPY', 'KRW', 'ISK', 'CLP', 'UYI', 'XAF']],
    [2, ['GBP', 'HUF', 'COP', 'IDR', 'PKR', 'LBP', 'MGA']],
    [3, ['BHD', 'IQD', 'KWD', 'TND']],
    [4, ['CLF', 'UYW']],
  ])('has %d decimal places where ISO 4217 says so', (digits, currencies) => {
    expect(currencies.map(minorUnits)).toEqual(currencies.map(() => digits));
  });

  it('comes back from a request as it was written', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 0, max: 999_999_999_999_999 }),
        fc.integer({ min: 0, max: 4 }),
        (digits, places) => {
          const Amount = Number(`${digits}e-${places}`);
          expect(moneyRecord(moneyFrom({ Amount, Currency: 'GBP' })).Amount).toBe(Amount);
        },
      ),
    );
  });
});

describe('units', () => {
  it('are the least whole number that covers the ticks, when rounded up', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 10 ** 13 }),
        fc.integer({ min: 1, max: 600_000 }),
        (ticks, tenThousandths) => {
          const minutes = text(decimal(tenThousandths).div(10_000));
          const unit = decimal(minutes).mul(TICKS_PER_MINUTE);
          const units = unitsOf(ticks, minutes, 'Up');
          expect(units.mul(unit).gte(ticks)).toBe(true);
          expect(units.sub(1).mul(unit).lt(ticks)).toBe(true);
          expect(unitsOf(ticks, minutes, 'Down').lte(units)).toBe(true);
          expect(unitsOf(ticks, minutes, 'Nearest').lte(units)).toBe(true);
        },
      ),
    );
  });
});

describe('days', () => {
  it("are those of the tenant's time zone, across clock changes", () => {
    expect(dayIn('Europe/London', '2025-06-30T23:30:00Z')).toBe('2025-07-01');
    expect(dayIn('Europe/London', '2025-01-31T23:30:00Z')).toBe('2025-01-31');
    expect(dayIn('Australia/Sydney', '2025-06-30T14:00:00Z')).toBe('2025-07-01');
    expect(dayIn('Australia/Sydney', '2025-12-31T12:59:59.999Z')).toBe('2025-12-31');
    expect(dayIn('Australia/Sydney', '2025-12-31T13:00:00Z')).toBe('2026-01-01');
  });

  it('have years of four digits, also at the ends of the calendar', () => {
    expect(dayIn('Australia/Sydney', '0001-01-01T00:00:00Z')).toBe('0001-01-01');
    expect(dayIn('America/New_York', '0001-01-01T00:00:00Z')).toBe('0001-01-01');
    expect(dayIn('Europe/London', '0999-06-30T12:00:00Z')).toBe('0999-06-30');
    expect(dayIn('Australia/Sydney', '9999-12-31T23:59:59Z')).toBe('9999-12-31');
  });
});
