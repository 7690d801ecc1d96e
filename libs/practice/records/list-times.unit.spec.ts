import { inZone, type Time } from './list-times';

const times: Record<string, Time> = { from: 'from', until: 'until', day: 'day' };
const asked = (zone: string, query: object) => inZone(query, times, async () => zone);

describe("times of a list's query", () => {
  it.each([
    ['summer', '2025-06-12', '2025-06-11T23:00:00.000Z', '2025-06-12T23:00:00.000Z'],
    ['winter', '2025-01-12', '2025-01-12T00:00:00.000Z', '2025-01-13T00:00:00.000Z'],
    ['the day of 23 hours', '2025-03-30', '2025-03-30T00:00:00.000Z', '2025-03-30T23:00:00.000Z'],
    ['the day of 25 hours', '2025-10-26', '2025-10-25T23:00:00.000Z', '2025-10-27T00:00:00.000Z'],
  ])('are the bounds of the day in London in %s', async (_when, day, from, until) => {
    expect(await asked('Europe/London', { from: day, until: day })).toEqual({ from, until });
  });

  it('are the bounds of the day in Sydney for a firm in Sydney', async () => {
    const day = '2025-06-12';
    const bounds = { from: '2025-06-11T14:00:00.000Z', until: '2025-06-12T14:00:00.000Z' };
    expect(await asked('Australia/Sydney', { from: day, until: day })).toEqual(bounds);
  });

  it('become days where days are compared, and an instant becomes its day in the zone', async () => {
    expect(await asked('Europe/London', { day: '2025-06-11T23:30:00Z' })).toEqual({ day: '2025-06-12' });
    expect(await asked('Europe/London', { day: '2025-06-12T00:30:00+09:00' })).toEqual({ day: '2025-06-11' });
  });

  it("are days between the years 1 and 9999, also of the ends of a client's calendar", async () => {
    expect(await asked('Europe/London', { day: '0001-01-01T00:00:00Z' })).toEqual({ day: '0001-01-01' });
    expect(await asked('Australia/Sydney', { day: '9999-12-31T23:59:59Z' })).toEqual({ day: '9999-12-31' });
  });

  it('stay as they are where no zone matters, and the zone is not looked up then', async () => {
    const query = { from: '2025-06-12T10:00:00Z', day: '2025-06-12', keywords: 'lease' };
    expect(await inZone(query, times, () => Promise.reject(new Error('asked')))).toBe(query);
  });
});
