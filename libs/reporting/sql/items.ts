import type { Column } from '../columns/column';
import { joinsNeeded } from '../columns/report';
import type { Demand } from '../sources/demand';
import { isNarrow, type Over } from '../sources/source';
import { baseOfSource, extreme, type TopGroups } from './base';
import { type Building, isSummed } from './building';
import { endOf, ITEMS, itemName, sourceSql } from './expressions';
import { joinClauses, lookups } from './joins';
import { steppedJoins } from './steps';

/** Further requirements of a query for the report's own rows. */
export interface LeafRows {
  /** Further columns of the report's table to select, as `row_…`. */
  key: readonly string[];
  /** Further conditions on the report's own table. */
  where: readonly string[];
  /** ORDER BY, LIMIT and OFFSET that need no joined table, so that only the rows of the page are joined. */
  page?: string;
}

/**
 * SELECT of the rows that the query covers, with each column's source under the column's name; sums of rows if the
 * source holds sums.
 */
export function itemsQuery(
  over: Over,
  parts: Building,
  leaf: LeafRows = { key: [], where: [] },
  top?: TopGroups,
): string {
  const { report } = over;
  const { demand, context } = parts;
  const base = baseOfSource(over, parts, top);
  const keys = [...demand.keys].map((column) => `${sourceSql(column, context)} as ${itemName(column)}`);
  const taken = isSummed(parts)
    ? [...keys, ...sumsOf(report.alias, demand), `${report.alias}.items as ${ITEMS}`]
    : [
        ...keys,
        ...[...demand.sums, ...demand.extremes]
          .filter((column, index, all) => !demand.keys.has(column) && all.indexOf(column) === index)
          .map((column) => `${sourceSql(column, context)} as ${itemName(column)}`),
        ...leaf.key.map((name) => `${report.alias}.${name} as row_${name}`),
      ];
  const later = over.conditions.filter(({ meetsAbsent }) => meetsAbsent);
  const joins = joinsNeeded(report, new Set([...demand.keys, ...later].flatMap((each) => each.joins ?? [])));
  const conditions = [...base.where, ...leaf.where];
  const where = conditions.length > 0 ? `\n  where ${conditions.join(' and ')}` : '';
  const select = `select ${taken.join(', ')}`;
  const joined = isSummed(parts) && isNarrow(over) ? lookups(joins) : steppedJoins(report, joins, base.steps);
  if (!leaf.page) return `\n  ${select}\n  from ${base.from}\n  ${joined}${where}\n`;
  const page = `(\n  select * from ${base.from}${where}\n  ${leaf.page}\n  ) ${report.alias}`;
  return `\n  ${select}\n  from ${page}\n  ${joinClauses(joins)}\n`;
}

function sumsOf(alias: string, { sums, extremes }: Demand): string[] {
  const fact = (column: Column) => column.measure!.fact!.column;
  return [
    ...[...sums].map((column) => `${alias}.${fact(column)} as ${itemName(column)}`),
    ...[...extremes].flatMap((column) =>
      (['min', 'max'] as const).map(
        (end) => `${alias}.${extreme(fact(column), end)} as ${endOf(column, end)}`,
      ),
    ),
  ];
}
