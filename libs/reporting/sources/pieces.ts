import type { Period } from '#kernel/periods';
import { type Day, daysAfter } from '#kernel/zone';
import { type Grain, grains } from '#projections/projection';

/** A part of a period that is read at one grain. */
export interface Piece {
  grain: Grain;
  /**
   * First day of the first and of the last year, month or day of the piece, both included. Null is open on that side.
   */
  from: Day | null;
  to: Day | null;
}

/**
 * Splits a period into whole years, whole months and the days at its edges. Pieces are as coarse as allowed, and each
 * day lies in exactly one of them.
 * @param allowed grains that the query can be answered from, in addition to days
 */
export function piecesOf({ min, max }: Period, allowed: readonly Grain[]): Piece[] {
  const isEmpty = min !== null && max !== null && min > max;
  // The adjacent years cannot be written as dates with years of four digits.
  const isOutermost = (min !== null && min >= LAST_YEAR) || (max !== null && max < SECOND_YEAR);
  return isEmpty || isOutermost
    ? [{ grain: 'day', from: min, to: max }]
    : split(
        min,
        max,
        grains.toReversed().filter((grain) => grain === 'day' || allowed.includes(grain)),
      );
}

const SECOND_YEAR = '0002';
const LAST_YEAR = '9999';

function split(min: Day | null, max: Day | null, [grain, ...finer]: Grain[]): Piece[] {
  if (grain === 'day') return [{ grain, from: min, to: max }];
  const first = min === null ? null : startAfter(min, grain);
  const last = max === null ? null : endBefore(max, grain);
  if (first !== null && last !== null && first > last) return split(min, max, finer);
  return [
    ...(first === null || first === min ? [] : split(min, daysAfter(first, -1), finer)),
    { grain, from: first, to: last === null ? null : startOf(last, grain) },
    ...(last === null || last === max ? [] : split(daysAfter(last, 1), max, finer)),
  ];
}

/** The first day of the first whole unit that begins on or after the given day. */
function startAfter(day: Day, unit: 'month' | 'year'): Day {
  const start = startOf(day, unit);
  return start === day ? day : startOf(daysAfter(start, unit === 'year' ? 366 : 31), unit);
}

/** The last day of the last whole unit that ends on or before the given day. */
function endBefore(day: Day, unit: 'month' | 'year'): Day {
  const isLast = startOf(daysAfter(day, 1), unit) !== startOf(day, unit);
  return isLast ? day : daysAfter(startOf(day, unit), -1);
}

function startOf(day: Day, unit: 'month' | 'year'): Day {
  return unit === 'year' ? `${day.slice(0, 4)}-01-01` : `${day.slice(0, 7)}-01`;
}
