import { Calendar } from './calendar';

describe.each([
  ['uk', 'Europe/London'],
  ['au', 'Australia/Sydney'],
] as const)('the calendar of %s', (region, zone) => {
  const now = new Date('2026-11-18T12:00:00.000Z');
  const calendar = new Calendar(now, 3, zone, region);
  const clock = new Intl.DateTimeFormat('en-GB', { timeZone: zone, hour: '2-digit', minute: '2-digit' });

  it('has the weekdays of the years, except holidays, up to the last day that is over', () => {
    expect(calendar.days[0]).toBe('2023-11-20');
    // At this instant it is late in the evening in Sydney, and noon in London.
    expect(calendar.days.at(-1)).toBe(region === 'uk' ? '2026-11-17' : '2026-11-18');
    for (const day of calendar.days) expect([0, 6]).not.toContain(new Date(day).getUTCDay());
    expect(calendar.days).not.toContain('2025-12-25');
    expect(calendar.days).toContain('2025-12-24');
    expect(new Set(calendar.days).size).toBe(calendar.days.length);
  });

  it('opens at eight local time, in summer and in winter', () => {
    for (const day of calendar.days.keys()) expect(clock.format(calendar.at(day, 0))).toBe('08:00');
    expect(clock.format(calendar.at(0, 95))).toBe('09:35');
  });

  it('divides into months', () => {
    expect(calendar.months).toHaveLength(37);
    expect(calendar.months.at(-1)!.to).toBe(calendar.last);
    for (const [index, { from, to }] of calendar.months.entries()) {
      expect(from).toBe(index === 0 ? 0 : calendar.months[index - 1].to + 1);
      expect(calendar.days[from].slice(0, 7)).toBe(calendar.days[to].slice(0, 7));
    }
  });

  it('finds the day by which a share of the work was done', () => {
    const days = Array.from({ length: 1_000 }, (_, index) => calendar.dayOf(index / 1_000, 40, 300));
    expect(days).toEqual([...days].sort((one, other) => one - other));
    expect([days[0], days[999]]).toEqual([40, 300]);
    expect(calendar.dayOf(0.999, 7, 7)).toBe(7);
    const [busy, quiet] = region === 'uk' ? ['2025-03', '2025-08'] : ['2025-06', '2025-01'];
    const share = (month: string) => {
      const own = calendar.months.find(({ from }) => calendar.days[from].startsWith(month))!;
      return calendar.loadOf(own.from, own.to) / (own.to - own.from + 1);
    };
    expect(share(busy)).toBeGreaterThan(share(quiet) * 1.2);
  });
});
