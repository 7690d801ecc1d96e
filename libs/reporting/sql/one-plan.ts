import type { Plan } from '../plan';
import { isNarrow, type Over, type Source } from '../sources/source';

/** Dimensions of so many keys that how their names are best joined depends on how long the period is. */
const MANY_KEYS = ['matter', 'employeeMatter'];

/** Whether sums are read in the same way whatever the values: what a short and a long period have in common. */
export function hasOnePlan(over: Over, source: Source): boolean {
  if (isNarrow(over)) return source.kind !== 'listing';
  return source.kind === 'rollup' && !MANY_KEYS.includes(source.dimension);
}

/** Whether an index gives leaf rows in their order, so that a page ends the reading. */
export function isByDay({ order: [first] }: Plan): boolean {
  return first?.expression.kind === 'value' && !!first.expression.column.byDay;
}
