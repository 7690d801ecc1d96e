import type { Grain } from '#projections/projection';
import type { Plan } from '../plan';
import type { Demand } from '../sources/demand';
import { type Source, sourcesFor } from '../sources/source';
import { baseOfSource } from './base';
import type { Building } from './building';
import { isByDay } from './one-plan';

/**
 * Finds where a page far down the rows by day begins. The rows before it are not read: whole months, and whole days
 * within its month, are counted.
 * @returns undefined when the rows are not ordered by day, or when the counts by day do not give the number of rows
 */
export function pageDay(plan: Plan, parts: Building) {
  const { report, order, start, zero } = plan;
  if (start < parts.scope.deepFrom || zero || !isByDay(plan)) return undefined;
  const [byMonth, byDay] = [counted(plan, 'month'), counted(plan, 'day')];
  // Every bound value must be used, so the values are bound only after this check.
  if (!byMonth || !byDay) return undefined;
  const [months, days] = [itemsBy(byMonth, plan, parts), itemsBy(byDay, plan, parts)];
  const [{ desc }] = order;
  const row = `${parts.bind(start)}::bigint`;
  const first = '(select start from page_month)';
  return {
    with: `page_month as materialized (${holding(
      row,
      `select date_trunc('month', day::timestamp)::date as start, sum(items) as items from (${months}) days group by 1`,
      desc,
    )}), page_day as materialized (${holding(
      `${row} - (select before from page_month)`,
      `select day as start, items from (${days}) days where day >= ${first} and day < ${first} + interval '1 month'`,
      desc,
    )})`,
    where: report.fromDay('(select start from page_day)', desc),
    offset: `coalesce((select ${row} - m.before - d.before from page_month m, page_day d), 0)`,
  };
}

/** SELECT of the period that contains a row, and of the number of items before that period. */
function holding(row: string, periods: string, desc: boolean): string {
  return `
    select start, before from (
      select start, sum(items) over (order by start${desc ? ' desc' : ''}) - items as before from (${periods}) periods
    ) counted where before <= ${row} order by before desc limit 1
  `;
}

interface Counted {
  source: Source;
  demand: Demand;
}

/** The source that keeps the numbers of items by day or by month; undefined when there is none. */
function counted(plan: Plan, grain: Grain): Counted | undefined {
  const { columns, derived } = plan.report;
  const key = [...columns.values()].find(
    (column) => column.of === derived.rollup.day && column.grain === grain,
  )!;
  const demand: Demand = { keys: new Set([key]), sums: new Set(), extremes: new Set(), rows: false };
  const source = sourcesFor(plan, demand).find(({ kind }) => kind === 'rollup');
  return source && { source, demand };
}

/** SELECT of the number of items by day. A whole month may be counted on its first day. */
function itemsBy(counts: Counted, plan: Plan, parts: Building): string {
  const { alias, derived } = plan.report;
  const { from, where } = baseOfSource(plan, { ...parts, ...counts });
  const conditions = where.length > 0 ? ` where ${where.join(' and ')}` : '';
  return `select ${alias}.${derived.rollup.day} as day, ${alias}.items from ${from}${conditions}`;
}
