import type { Plan } from '../plan';
import type { Demand } from '../sources/demand';
import { sourcesFor } from '../sources/source';
import { baseOfSource } from './base';
import type { Building } from './items';
import { isByDay } from './one-plan';

/**
 * Of a page far down the rows by day, where it begins: whole days before it are counted rather than read.
 * @returns undefined when the rows are not in the order of days, or the days' counts do not say how many rows there are
 */
export function pageDay(plan: Plan, { scope, bind, context }: Building) {
  const { report, order, start, zero } = plan;
  const [first] = order;
  if (start < scope.deepFrom || zero || !isByDay(plan)) return undefined;
  const { day } = report.derived.rollup;
  const days = [...report.columns.values()].find(({ of, grain }) => of === day && grain === 'day')!;
  const demand: Demand = { keys: new Set([days]), sums: new Set(), extremes: new Set(), rows: false };
  const source = sourcesFor(plan, demand).find(({ kind }) => kind === 'rollup');
  if (!source) return undefined;
  const { from, where } = baseOfSource(source, { over: plan, demand, zone: scope.zone, bind, context });
  const { alias } = report;
  const row = bind(start);
  const counted = `select ${alias}.${day} as day, ${alias}.items,
      sum(${alias}.items) over (order by ${alias}.${day}${first.desc ? ' desc' : ''}) - ${alias}.items as before
    from ${from}${where.length > 0 ? ` where ${where.join(' and ')}` : ''}`;
  return {
    with: `begins as materialized (
    select day, before from (${counted}) counted where before <= ${row}::bigint order by before desc limit 1
  )`,
    where: report.fromDay('(select day from begins)', first.desc),
    offset: `coalesce((select ${row}::bigint - before from begins), 0)`,
  };
}
