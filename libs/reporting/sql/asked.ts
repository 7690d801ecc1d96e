import { baseOfJoin, joinsNeeded } from '../columns/report';
import type { Condition } from '../condition';
import type { Over } from '../sources/source';
import type { Building } from './building';
import { joinClauses, liveOf, tableAs } from './joins';

/**
 * The SQL of a condition on a row of the report's own table. Where few rows meet it, an index of the column is used,
 * whatever the planner guesses. The matters of a division are too many for that: comparing every row with each of them
 * took ten times as long as a join.
 */
export function asked(condition: Condition, over: Over, parts: Building): string {
  const [join] = condition.joins ?? [];
  if (!join) return condition.sql(parts.bind, parts.context);
  const { report } = over;
  const column = `${report.alias}.${baseOfJoin(report, join)}`;
  if (condition.meetsAbsent)
    return `(${column} in (${keysOf([condition], 'fail', over, parts)})) is not true`;
  const keys = keysOf([condition], 'meet', over, parts);
  const [{ few }] = joinsNeeded(report, [join]);
  return few || condition.isSelective ? `${column} = any(array(${keys}))` : `${column} in (${keys})`;
}

/** SELECT of the ids of the records, which rows refer to by the same column, that meet or fail all conditions. */
export function keysOf(
  conditions: readonly Condition[],
  which: 'meet' | 'fail',
  { report }: Over,
  { bind, context }: Building,
): string {
  const [root, ...others] = joinsNeeded(
    report,
    conditions.flatMap(({ joins = [] }) => joins),
  );
  const asks = conditions.map(({ sql }) =>
    which === 'meet' ? sql(bind, context) : `not (${sql(bind, context)})`,
  );
  return `select ${root.alias}.id from ${tableAs(root)}
    ${joinClauses(others)}
    where ${[liveOf(root), ...asks].join(' and ')}`;
}
