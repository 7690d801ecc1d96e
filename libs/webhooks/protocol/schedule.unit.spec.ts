import fc from 'fast-check';
import { nextAttempt, readRetryAfter } from './schedule';

const minute = 60_000;
const hour = 60 * minute;
const steps = [
  5_000,
  10_000,
  5 * minute,
  30 * minute,
  2 * hour,
  5 * hour,
  10 * hour,
  14 * hour,
  20 * hour,
  24 * hour,
];
const start = new Date('2026-03-28T23:59:58.123Z');

/** Walks through the schedule of a delivery whose attempts all fail at once. @returns the waits between its attempts */
function walk(random: () => number): number[] {
  const waits: number[] = [];
  let failedAt = start;
  for (;;) {
    const next = nextAttempt(waits.length + 1, failedAt, random);
    if (!next) return waits;
    waits.push(next.getTime() - failedAt.getTime());
    failedAt = next;
  }
}

describe('a delivery that always fails', () => {
  it('is tried eleven times, by the steps', () => {
    expect(walk(() => 0.5)).toEqual(steps);
    const days = steps.reduce((sum, step) => sum + step, 0) / (24 * hour);
    expect(days).toBeCloseTo(3.15, 2);
  });

  it('waits up to a fifth less or more', () => {
    expect(walk(() => 0)).toEqual(steps.map((step) => step * 0.8));
    expect(walk(() => 1 - Number.EPSILON)).toEqual(steps.map((step) => step * 1.2));
    fc.assert(
      fc.property(
        fc.infiniteStream(fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true })),
        (randoms) => {
          const waits = walk(() => randoms.next().value);
          expect(waits).toHaveLength(steps.length);
          for (const [index, wait] of waits.entries()) {
            expect(wait).toBeGreaterThanOrEqual(steps[index] * 0.8);
            expect(wait).toBeLessThanOrEqual(steps[index] * 1.2);
          }
        },
      ),
    );
  });

  it('waits anywhere within that fifth', () => {
    const [first] = [...Array(1000)].map(() => walk(Math.random)[9]).sort((a, b) => a - b);
    const last = Math.max(...[...Array(1000)].map(() => walk(Math.random)[9]));
    expect(first).toBeLessThan(24 * hour * 0.82);
    expect(last).toBeGreaterThan(24 * hour * 1.18);
  });

  it('is not tried for a twelfth time', () => {
    expect(nextAttempt(10, start, () => 0.5)).toBeDefined();
    expect(nextAttempt(11, start, () => 0.5, new Date(start.getTime() + 1000))).toBeUndefined();
  });

  it.each([0, -1, 1.5, Number.NaN])('is not scheduled after %p failures', (failures) => {
    expect(() => nextAttempt(failures, start, () => 0.5)).toThrow(RangeError);
  });
});

describe('Retry-After', () => {
  const waitOf = (failures: number, seconds: number) => {
    const asked = new Date(start.getTime() + seconds * 1000);
    return nextAttempt(failures, start, () => 0.5, asked)!.getTime() - start.getTime();
  };

  it('makes the wait longer, to the second', () => {
    expect(waitOf(1, 7)).toBe(7_000);
    expect(waitOf(3, 301)).toBe(301_000);
  });

  it('does not make the wait shorter', () => {
    expect(waitOf(1, 1)).toBe(5_000);
    expect(waitOf(1, -3600)).toBe(5_000);
  });

  it.each(steps.map((step, index) => [index + 1, step]))(
    'is followed after failure %i, up to twice the step',
    (failures, step) => {
      expect(waitOf(failures, (step * 2) / 1000)).toBe(step * 2);
      expect(waitOf(failures, (step * 2) / 1000 + 1)).toBe(step * 2);
      expect(waitOf(failures, 1e9)).toBe(step * 2);
    },
  );

  it.each([
    ['120', 120],
    ['0', 0],
    [' 15 ', 15],
    ['99999999999999999999', 366 * 24 * 3600],
  ])('may be a number of seconds: %p', (value, seconds) => {
    expect(readRetryAfter(value, start)).toEqual(new Date(start.getTime() + seconds * 1000));
  });

  it.each([
    ['Fri, 31 Dec 1999 23:59:59 GMT'],
    ['Friday, 31-Dec-99 23:59:59 GMT'],
    ['Fri Dec 31 23:59:59 1999'],
  ])('may be a date: %p', (value) => {
    expect(readRetryAfter(value, start)).toEqual(new Date('1999-12-31T23:59:59Z'));
  });

  it.each([
    undefined,
    '',
    'soon',
    '-5',
    '1.5',
    '5s',
    '2026-11-22T00:00:00Z',
    'Fri, 31 Foo 1999 23:59:59 GMT',
  ])('is ignored when it is neither: %p', (value) => {
    expect(readRetryAfter(value, start)).toBeUndefined();
  });

  it('is never an error, whatever it is', () => {
    fc.assert(
      fc.property(fc.string(), (value) => {
        const date = readRetryAfter(value, start);
        expect(date === undefined || !Number.isNaN(date.getTime())).toBe(true);
      }),
    );
  });
});
