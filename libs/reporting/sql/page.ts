import { baseOfJoin } from '../columns/report';
import type { Condition } from '../condition';
import type { Over } from '../sources/source';
import { asked, keysOf } from './asked';
import type { Building } from './building';
import { rowsWithin } from './days';
import { tableAs } from './joins';

/** ORDER BY and LIMIT of a page whose order needs no joined table. */
export interface PageCut {
  order: string;
  size: number;
  /** SQL of the number of rows before the page; undefined for the first page. */
  offset?: string;
  /** The rows are read along an index in this order, or all of them are sorted. */
  isAlongIndex: boolean;
}

/** Records that rows must refer to: by which column, and under which conditions. */
interface Referred {
  column: string;
  conditions: Condition[];
}

/**
 * SELECT of the rows of a page from the report's own table. Where rows must refer to certain records, they are read
 * record by record if these are few, each up to the end of the page; otherwise in the page's order, until the page is
 * full. PostgreSQL cannot choose between the two itself: it does not know how many records will be found, nor whether
 * their rows are recent.
 * @param where further conditions
 */
export function pageRows(over: Over, parts: Building, where: readonly string[], page: PageCut): string {
  const { report, conditions } = over;
  const { alias } = report;
  const referred = page.isAlongIndex ? referredBy(over) : [];
  const others = conditions.filter((each) => !referred.some((by) => by.conditions.includes(each)));
  const own = [
    ...rowsWithin(over, parts),
    ...others.map((condition) => asked(condition, over, parts)),
    ...where,
  ];
  const { order, size, offset } = page;
  const cut = `${order} limit ${size}${offset ? ` offset ${offset}` : ''}`;
  const rows = (more: string[], limit: string) =>
    `select * from ${tableAs(report)}\n  where ${[...own, ...more].join(' and ')}\n  ${limit}`;
  if (referred.length === 0) return rows([], cut);

  const upToEnd = `${order} limit ${offset ? `${offset} + ` : ''}${size}`;
  const found = referred.map(({ column, conditions: asks }) => {
    const keys = `keys_of_${column}`;
    return {
      column,
      keys,
      sql: `${keys} as materialized (select array(${keysOf(asks, 'meet', over, parts)}) as ids)`,
      // Not as `= any`, which an index of the column would answer.
      isOfThese: `(${alias}.${column} in (select unnest(ids) from ${keys})) is true`,
      areMany: `(select cardinality(ids) from ${keys}) > ${parts.scope.manyKeys}`,
    };
  });
  const ofEach = found.map(({ column, keys, areMany }, place) => {
    const rest = found.filter((_, other) => other !== place).map(({ isOfThese }) => isOfThese);
    const before = found.slice(0, place).map((other) => other.areMany);
    return `select ${alias}.* from unnest((select ids from ${keys})) referred (id) cross join lateral (
    ${rows([...rest, `${alias}.${column} = referred.id`], upToEnd)}
  ) ${alias} where ${[...before, `not ${areMany}`].join(' and ')}`;
  });
  const inOrder = rows(
    found.flatMap(({ isOfThese, areMany }) => [isOfThese, areMany]),
    upToEnd,
  );
  return `with ${found.map(({ sql }) => sql).join(', ')}
  select * from (
  (${[...ofEach, inOrder].join(')\n  union all (')})
  ) ${alias} ${cut}`;
}

/** Whether a condition asks for records by whose ids a page's rows are found, so that its values do not matter for the plan. */
export function isReferredBy(over: Over, condition: Condition): boolean {
  return referredBy(over).some(({ conditions }) => conditions.includes(condition));
}

/** The records that have an index by their id and the day; those that few rows refer to first. */
function referredBy({ report, conditions }: Over): Referred[] {
  const asking = conditions.filter(({ joins, meetsAbsent }) => joins?.length && !meetsAbsent);
  return [...report.joins]
    .filter(({ of, isByDay }) => of && isByDay)
    .sort((one, other) => Number(one.few ?? false) - Number(other.few ?? false))
    .map(({ of }) => ({
      column: of!,
      conditions: asking.filter(({ joins }) => baseOfJoin(report, joins![0]) === of),
    }))
    .filter(({ conditions: asks }) => asks.length > 0);
}
