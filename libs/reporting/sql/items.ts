import type { Column } from '../columns/column';
import { joinsNeeded } from '../columns/report';
import type { Demand } from '../sources/demand';
import { isNarrow, type Over } from '../sources/source';
import { type Base, baseOfSource, extreme, type TopGroups } from './base';
import { type Building, isSummed } from './building';
import { endOf, ITEMS, itemName, sourceSql } from './expressions';
import { lookups } from './joins';
import { type PageCut, pageRows } from './page';
import { steppedJoins } from './steps';

/** Further requirements of a query for the report's own rows. */
export interface LeafRows {
  /** Further columns of the report's table to select, as `row_…`. */
  key: readonly string[];
  /** Further conditions on the report's own table. */
  where: readonly string[];
  /** Set if only the rows of the page are joined. */
  cut?: PageCut;
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
  const base = rowsFrom(over, parts, leaf, top);
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
  const joins = joinsNeeded(report, new Set([...demand.keys].flatMap((each) => each.joins ?? [])));
  const where = base.where.length > 0 ? `\n  where ${base.where.join(' and ')}` : '';
  const joined = isSummed(parts) && isNarrow(over) ? lookups(joins) : steppedJoins(report, joins, base.steps);
  return `\n  select ${taken.join(', ')}\n  from ${base.from}\n  ${joined}${where}\n`;
}

function rowsFrom(over: Over, parts: Building, { where, cut }: LeafRows, top?: TopGroups): Base {
  if (cut) {
    const page = pageRows(over, parts, where, cut);
    return { from: `(\n  ${page}\n  ) ${over.report.alias}`, where: [], steps: new Map() };
  }
  const base = baseOfSource(over, parts, top);
  return { ...base, where: [...base.where, ...where] };
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
