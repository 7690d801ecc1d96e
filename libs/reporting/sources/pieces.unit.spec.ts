import * as fc from 'fast-check';
import { daysAfter } from '#kernel/zone';
import type { Grain } from '#projections/projection';
import { type Piece, piecesOf } from './pieces';

const shown = (pieces: Piece[]) => pieces.map(({ grain, from, to }) => `${grain} ${from ?? ''}..${to ?? ''}`);
const ALL: Grain[] = ['day', 'month', 'year'];
const ends = { day: 10, month: 7, year: 4 };

/** Whether a day lies in one of the units of a piece. */
function covers({ grain, from, to }: Piece, day: string): boolean {
  const unit = (text: string) => text.slice(0, ends[grain]);
  return (from === null || unit(day) >= unit(from)) && (to === null || unit(day) <= unit(to));
}

describe('the pieces of a period', () => {
  it.each<[min: string | null, max: string | null, allowed: Grain[], pieces: string[]]>([
    [null, null, ALL, ['year ..']],
    [null, null, [], ['day ..']],
    ['2025-01-01', '2025-12-31', ALL, ['year 2025-01-01..2025-01-01']],
    [
      '2024-04-06',
      '2026-04-05',
      ALL,
      [
        'day 2024-04-06..2024-04-30',
        'month 2024-05-01..2024-12-01',
        'year 2025-01-01..2025-01-01',
        'month 2026-01-01..2026-03-01',
        'day 2026-04-01..2026-04-05',
      ],
    ],
    ['2025-02-01', '2025-02-28', ALL, ['month 2025-02-01..2025-02-01']],
    ['2025-02-01', '2025-02-27', ALL, ['day 2025-02-01..2025-02-27']],
    ['2025-04-01', '2026-03-31', ['month'], ['month 2025-04-01..2026-03-01']],
    [
      '2024-04-06',
      '2026-04-05',
      ['year'],
      ['day 2024-04-06..2024-12-31', 'year 2025-01-01..2025-01-01', 'day 2026-01-01..2026-04-05'],
    ],
    ['2025-04-01', null, ALL, ['month 2025-04-01..2025-12-01', 'year 2026-01-01..']],
    [null, '2025-01-31', ALL, ['year ..2024-01-01', 'month 2025-01-01..2025-01-01']],
    [null, '9999-12-31', ALL, ['year ..9999-01-01']],
    ['2025-02-01', '2025-01-01', ALL, ['day 2025-02-01..2025-01-01']],
    ['9999-06-01', null, ALL, ['day 9999-06-01..']],
    ['0001-01-01', '0001-12-31', ALL, ['day 0001-01-01..0001-12-31']],
  ])('%s to %s', (min, max, allowed, pieces) => {
    expect(shown(piecesOf({ min, max }, allowed))).toEqual(pieces);
  });

  it('contain each of its days once, and no other day', () => {
    const day = fc.integer({ min: 0, max: 1_600 }).map((days) => daysAfter('2023-11-01', days));
    const end = fc.option(day, { nil: null });
    fc.assert(
      fc.property(end, end, fc.subarray(ALL), day, (min, max, allowed, some) => {
        const pieces = piecesOf({ min, max }, allowed);
        const near = [some, min, max].flatMap((each) =>
          each ? [each, daysAfter(each, 1), daysAfter(each, -1)] : [],
        );
        for (const each of near) {
          const isIn = (min === null || each >= min) && (max === null || each <= max);
          expect(pieces.filter((piece) => covers(piece, each))).toHaveLength(isIn ? 1 : 0);
        }
      }),
    );
  });
});
