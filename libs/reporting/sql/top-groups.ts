import type { Period } from '#kernel/periods';
import { daysAfter } from '#kernel/zone';
import type { Column } from '../columns/column';
import { baseOf, joinsNeeded } from '../columns/report';
import type { Plan } from '../plan';
import { isNarrow } from '../sources/source';
import type { TopGroups } from './base';
import type { Building } from './building';
import { sourceSql } from './expressions';
import { joinClauses, liveOf, tableAs } from './joins';
import { stepsOf } from './steps';

/**
 * In a shorter period a firm is taken to have fewer groups than clients: joining the groups is faster than going through
 * all clients then. For a year it is not; where that changes was not measured.
 */
const MANY_DAYS = 90;

/**
 * Restricts groups that are ordered by their sums to those that a page can show, so that only these are joined with
 * their names. Groups that tie with the last one are included, because their keys decide the order.
 * @returns undefined when a sum by the facts' own columns is not the sum of a group, or when more than sums decides the
 * order, or a filter is left to apply
 */
export function topGroups(plan: Plan, parts: Building): TopGroups | undefined {
  const { source, bind } = parts;
  const { level, order, zero, end } = plan;
  if (source.kind === 'listing' || level !== 'group' || zero || order.length === 0) return undefined;
  const sharing = sharingOf(plan, parts);
  const sums = sumsOf(plan);
  if (!sharing || !sums) return undefined;
  return { order: `order by ${sums.join(', ')} fetch first ${bind(end + 1)} rows with ties`, sharing };
}

/**
 * ORDER BY keys; undefined when the order depends on more than sums, or on a value that is rounded at the end: rounding
 * can create ties.
 */
function sumsOf({ order }: Plan): string[] | undefined {
  const sums = order.flatMap(({ expression, desc }) => {
    const { kind, column } = expression;
    const isSum = kind === 'aggregate' && expression.aggFunc === 'sum' && !expression.pivot;
    if (!isSum || column.measure?.finish) return [];
    return [`${column.measure!.fact!.column}${desc ? ' desc' : ''}`];
  });
  return sums.length === order.length ? sums : undefined;
}

/**
 * How the columns that facts are added up by identify the groups. A column that is unique, or a reference of a step that
 * is a key itself, does so alone. Other columns are grouped by one representative of all records with the same names.
 */
function sharingOf(plan: Plan, { source, demand, context }: Building): TopGroups['sharing'] | undefined {
  const { report, keys, conditions } = plan;
  // Records that counted items refer to, directly or indirectly, are not deleted.
  const isOfNow = conditions.some(({ isCounted }) => isCounted);
  const isUnique = (column: Column) => column.isUnique === 'ever' || (!!column.isUnique && isOfNow);
  const steps = stepsOf(plan, demand, source);
  const sharing: { column: string; records: string }[] = [];
  let isMany = false;
  const bases = new Set([...demand.keys].map((column) => baseOf(report, column)));
  for (const base of bases) {
    const all = [...demand.keys].filter((column) => baseOf(report, column) === base);
    const names = keys.filter((column) => all.includes(column));
    const step = base === undefined ? undefined : steps.get(base);
    const [column, ...more] = step?.references ?? [base];
    const isReference = ({ by }: Column) => by !== undefined && by === column && more.length === 0;
    if (names.some(isUnique) || names.some(isReference)) continue;
    const [root, ...others] = joinsNeeded(
      report,
      all.flatMap(({ joins = [] }) => joins),
    ).filter((join) => join !== step?.join);
    if (column === undefined || more.length > 0 || !root || names.length < all.length) return undefined;
    isMany ||= !root.few;
    const values = names.map((name) => sourceSql(name, context)).join(', ');
    const records = `select ${root.alias}.id,
      case when num_nonnulls(${values}) > 0 then first_value(${root.alias}.id) over (partition by ${values} order by ${root.alias}.id) end as one
    from ${tableAs(root)} ${joinClauses(others)}
    where ${liveOf(root)}`;
    sharing.push({ column, records });
  }
  // With few rows, joining all of them is faster than finding the records that share names.
  if (sharing.length > 0 && isNarrow(plan)) return undefined;
  if (isMany) return source.kind === 'facts' && bases.size > 1 && isLong(plan.period) ? sharing : undefined;
  return sharing.length < bases.size ? sharing : undefined;
}

/** Whether a period is so long that there are more groups than records, of which there are many. */
function isLong(period: Period | undefined): boolean {
  const { min = null, max = null } = period ?? {};
  return min === null || max === null || daysAfter(min, MANY_DAYS) <= max;
}
