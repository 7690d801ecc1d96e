import type { Period } from '#kernel/periods';
import type { Day } from '#kernel/zone';
import type { Column } from './columns/column';
import { baseOf, type Report } from './columns/report';
import type { Condition } from './condition';
import type { Slice } from './slice/slice';
import type { Over } from './sources/source';
import { equals, finished, sourceSql } from './sql/expressions';

/** Restricts a report to the criteria and to the groups that the slice has been expanded into. */
export function withinGroups(over: Over, slice: Slice, financialYearStart: number): Over {
  let { period } = over;
  const conditions = [...over.conditions];
  for (const { column, value } of slice.keys) {
    const days = value === null ? undefined : column.daysOf?.(value, financialYearStart);
    if (days) period = both(period, days);
    else conditions.push(keyCondition(over.report, column, value));
  }
  return { ...over, period, conditions };
}

function keyCondition(report: Report, column: Column, value: string | null): Condition {
  const joined = (column.joins ?? []).length > 0;
  const place = value === null ? -1 : (column.choices?.indexOf(value) ?? -1);
  return {
    of: baseOf(report, column),
    joins: column.joins,
    grain: column.grain,
    meetsAbsent: joined && value === null,
    isSelective: value !== null && column.isSelective,
    sql: (bind, context) =>
      // An index has the number of a choice, and not its name.
      place >= 0
        ? `${report.alias}.${column.of} = ${place}`
        : equals(column, finished(column, sourceSql(column, context)), value, bind),
  };
}

/** The intersection of two periods. */
function both(one: Period | undefined, other: Period): Period {
  const later = (a: Day | null, b: Day | null) => (a === null || (b !== null && b > a) ? b : a);
  const earlier = (a: Day | null, b: Day | null) => (a === null || (b !== null && b < a) ? b : a);
  return { min: later(one?.min ?? null, other.min), max: earlier(one?.max ?? null, other.max) };
}
