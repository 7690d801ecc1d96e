import type { Plan } from '../plan';
import { isNarrow, type Over, type Source } from '../sources/source';

/** Dimensions with so many keys that the best way to join their names depends on the length of the period. */
const MANY_KEYS = ['matter', 'employeeMatter'];

/** Whether one plan suits all values, for short and long periods alike. */
export function hasOnePlan(over: Over, source: Source): boolean {
  if (isNarrow(over)) return source.kind !== 'listing';
  return source.kind === 'rollup' && !MANY_KEYS.includes(source.dimension);
}

/**
 * Whether leaf rows are asked for in the order of their days. An index returns them in that order, so that reading stops
 * at the end of the page; only the listing has none for the day alone, without the time.
 */
export function isByDay({ order: [first] }: Plan): boolean {
  return first?.expression.kind === 'value' && !!first.expression.column.byDay;
}
