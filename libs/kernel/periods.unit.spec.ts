import { endOfDay, isDay, type RelativePeriod, relativePeriods, resolvePeriod, startOfDay } from './periods';
import { dayIn } from './zone';

const uk = 4;
const au = 7;

describe('relative periods', () => {
  // 2025-06-12 is a Thursday
  const cases: [RelativePeriod, string | null, string | null][] = [
    ['TODAY', '2025-06-12', '2025-06-12'],
    ['YESTERDAY', '2025-06-11', '2025-06-11'],
    ['THIS_WEEK', '2025-06-09', '2025-06-15'],
    ['LAST_WEEK', '2025-06-02', '2025-06-08'],
    ['NEXT_WEEK', '2025-06-16', '2025-06-22'],
    ['THIS_MONTH', '2025-06-01', '2025-06-30'],
    ['LAST_MONTH', '2025-05-01', '2025-05-31'],
    ['NEXT_MONTH', '2025-07-01', '2025-07-31'],
    ['THIS_QUARTER', '2025-04-01', '2025-06-30'],
    ['LAST_QUARTER', '2025-01-01', '2025-03-31'],
    ['NEXT_QUARTER', '2025-07-01', '2025-09-30'],
    ['THIS_YEAR', '2025-01-01', '2025-12-31'],
    ['LAST_YEAR', '2024-01-01', '2024-12-31'],
    ['NEXT_YEAR', '2026-01-01', '2026-12-31'],
    ['WEEK_TO_DATE', '2025-06-09', '2025-06-12'],
    ['MONTH_TO_DATE', '2025-06-01', '2025-06-12'],
    ['QUARTER_TO_DATE', '2025-04-01', '2025-06-12'],
    ['YEAR_TO_DATE', '2025-01-01', '2025-06-12'],
    ['LAST_7_DAYS', '2025-06-06', '2025-06-12'],
    ['LAST_30_DAYS', '2025-05-14', '2025-06-12'],
    ['LAST_90_DAYS', '2025-03-15', '2025-06-12'],
    ['LAST_365_DAYS', '2024-06-13', '2025-06-12'],
    ['LAST_12_MONTHS', '2024-06-01', '2025-05-31'],
    ['THIS_FINANCIAL_YEAR', '2025-04-01', '2026-03-31'],
    ['LAST_FINANCIAL_YEAR', '2024-04-01', '2025-03-31'],
    ['THIS_FINANCIAL_QUARTER', '2025-04-01', '2025-06-30'],
    ['LAST_FINANCIAL_QUARTER', '2025-01-01', '2025-03-31'],
    ['FINANCIAL_YEAR_TO_DATE', '2025-04-01', '2025-06-12'],
    ['FINANCIAL_QUARTER_TO_DATE', '2025-04-01', '2025-06-12'],
    ['ALL_TIME', null, null],
  ];

  it.each(cases)('%s in the UK', (name, min, max) => {
    expect(resolvePeriod(name, '2025-06-12', uk)).toEqual({ min, max });
  });

  it('has a case for every name', () => {
    expect(cases.map(([name]) => name)).toEqual([...relativePeriods]);
  });

  it.each<[RelativePeriod, string, string]>([
    ['THIS_FINANCIAL_YEAR', '2024-07-01', '2025-06-30'],
    ['LAST_FINANCIAL_YEAR', '2023-07-01', '2024-06-30'],
    ['THIS_FINANCIAL_QUARTER', '2025-04-01', '2025-06-30'],
    ['FINANCIAL_YEAR_TO_DATE', '2024-07-01', '2025-06-12'],
  ])('%s in Australia', (name, min, max) => {
    expect(resolvePeriod(name, '2025-06-12', au)).toEqual({ min, max });
  });

  it('counts financial quarters from a month that calendar quarters do not start with', () => {
    expect(resolvePeriod('THIS_FINANCIAL_QUARTER', '2025-01-31', 2)).toEqual({
      min: '2024-11-01',
      max: '2025-01-31',
    });
  });

  it('moves to the next financial year on its first day', () => {
    expect(resolvePeriod('THIS_FINANCIAL_YEAR', '2025-03-31', uk).min).toBe('2024-04-01');
    expect(resolvePeriod('THIS_FINANCIAL_YEAR', '2025-04-01', uk).min).toBe('2025-04-01');
    expect(resolvePeriod('THIS_FINANCIAL_YEAR', '2025-06-30', au).min).toBe('2024-07-01');
    expect(resolvePeriod('THIS_FINANCIAL_YEAR', '2025-07-01', au).min).toBe('2025-07-01');
  });

  it('handles 29 February', () => {
    expect(resolvePeriod('LAST_YEAR', '2024-02-29', uk)).toEqual({ min: '2023-01-01', max: '2023-12-31' });
    expect(resolvePeriod('THIS_MONTH', '2024-02-29', uk).max).toBe('2024-02-29');
  });
});

describe('days in a time zone', () => {
  it('last 23 or 25 hours when the clocks change', () => {
    const hours = (zone: string, day: string) =>
      (endOfDay(zone, day).getTime() - startOfDay(zone, day).getTime()) / 3_600_000;
    expect(hours('Europe/London', '2025-03-30')).toBe(23);
    expect(hours('Europe/London', '2025-10-26')).toBe(25);
    expect(hours('Australia/Sydney', '2025-10-05')).toBe(23);
    expect(hours('Australia/Sydney', '2025-04-06')).toBe(25);
  });

  it('start at local midnight', () => {
    expect(startOfDay('Europe/London', '2025-06-12').toISOString()).toBe('2025-06-11T23:00:00.000Z');
    expect(startOfDay('Australia/Sydney', '2025-06-12').toISOString()).toBe('2025-06-11T14:00:00.000Z');
  });

  it('differ between Sydney and London at the same instant', () => {
    const instant = new Date('2025-06-30T15:00:00Z');
    expect(resolvePeriod('THIS_FINANCIAL_YEAR', dayIn('Australia/Sydney', instant), au).min).toBe(
      '2025-07-01',
    );
    expect(resolvePeriod('TODAY', dayIn('Europe/London', instant), uk).min).toBe('2025-06-30');
  });

  it('start after a midnight that the clocks skip', () => {
    expect(startOfDay('America/Santiago', '2025-09-07').toISOString()).toBe('2025-09-07T04:00:00.000Z');
  });

  it('start at the first of two midnights, when the clocks are put back to midnight', () => {
    const [zone, day] = ['Atlantic/Azores', '2025-10-26'];
    expect(startOfDay(zone, day).toISOString()).toBe('2025-10-26T00:00:00.000Z');
    expect(endOfDay(zone, '2025-10-25').toISOString()).toBe('2025-10-26T00:00:00.000Z');
    expect(dayIn(zone, startOfDay(zone, day))).toBe(day);
  });

  it('are told from texts that are not a day', () => {
    expect(['2025-02-28', '0001-01-01', '9999-12-31'].every(isDay)).toBe(true);
    expect(['2025-02-29', '2025-1-1', '0000-01-01', '2025-01-01T00:00:00Z', ''].some(isDay)).toBe(false);
  });
});
