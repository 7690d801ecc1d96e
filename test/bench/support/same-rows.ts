import { isDeepStrictEqual } from 'node:util';
import { decimal, text } from '#kernel/money';
import type { ValueKind } from './reports-questions';

/** What a value means, however a side writes it. */
const meaning: Record<ValueKind, (value: string) => unknown> = {
  id: (value) => value.replaceAll('-', ''),
  instant: (value) => Date.parse(value),
  number: (value) => text(decimal(value)),
  text: (value) => value,
};

/**
 * @throws unless there are rows, both sides have the same in the same order, and all numbers are equal to the last
 * digit
 */
export function requireSame(
  name: string,
  values: readonly ValueKind[],
  ours: unknown[][],
  others: unknown[][],
): void {
  if (ours.length === 0) throw new Error(`${name}: no rows`);
  if (ours.length !== others.length)
    throw new Error(`${name}: ${ours.length} rows are ours, ${others.length} the other's`);
  for (const [index, row] of ours.entries()) {
    const sides = [row, others[index]].map((side) => meaningsOf(name, values, side));
    if (!isDeepStrictEqual(sides[0], sides[1]))
      throw new Error(`${name}: row ${index} is ${sides.map((side) => JSON.stringify(side)).join(', not ')}`);
  }
}

function meaningsOf(name: string, values: readonly ValueKind[], row: unknown[]): unknown[] {
  if (row.length !== values.length) throw new Error(`${name}: a row of ${row.length} values`);
  return row.map((value, index) => {
    if (value === undefined) throw new Error(`${name}: value ${index} of a row is missing`);
    return value === null ? null : meaning[values[index]](String(value));
  });
}
