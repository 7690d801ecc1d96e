import { baseOf } from '../columns/report';
import type { Bind } from '../condition';
import type { Plan } from '../plan';
import type { Demand } from '../sources/demand';
import type { Source } from '../sources/source';

/**
 * Of groups in the order of their sums, which ones a page can show: the others need not be joined with their names.
 * Those that tie with the last are among them, as their keys decide.
 * @returns undefined where a sum by the facts' own column is not that of a group, or decides neither order nor filter
 */
export function topGroups(plan: Plan, source: Source, demand: Demand, bind: Bind): string | undefined {
  const { report, level, order, keys, zero, conditions, end } = plan;
  const bases = new Set([...demand.keys].map((column) => baseOf(report, column)));
  if (source.kind === 'listing' || level !== 'group' || zero || order.length === 0 || bases.size !== 1)
    return undefined;
  // What is counted was not deleted, and so is what it refers to.
  const isOfNow = conditions.some(({ isCounted }) => isCounted);
  if (!keys.some(({ isUnique }) => isUnique === 'ever' || (isUnique && isOfNow))) return undefined;
  if (conditions.some(({ meetsAbsent }) => meetsAbsent)) return undefined;
  const sums = order.map(({ expression, desc }) => {
    const { kind, column } = expression;
    const isSum = kind === 'aggregate' && expression.aggFunc === 'sum' && !expression.pivot;
    // What is rounded at the end could tie only then.
    if (!isSum || column.measure?.finish) return undefined;
    return `sum(${report.alias}.${column.measure!.fact!.column})${desc ? ' desc' : ''}`;
  });
  if (sums.some((sum) => sum === undefined)) return undefined;
  return `order by ${sums.join(', ')} fetch first ${bind(end + 1)} rows with ties`;
}
