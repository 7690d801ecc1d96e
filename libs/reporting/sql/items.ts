import type { Column, SourceContext } from '../columns/column';
import { joinClauses, joinsNeeded, lookups } from '../columns/report';
import type { Bind } from '../condition';
import type { Demand } from '../sources/demand';
import { isNarrow, type Over, type Source } from '../sources/source';
import { baseOfSource, extreme, TENANT, type TopGroups } from './base';
import { endOf, ITEMS, itemName } from './expressions';
import { steppedJoins } from './steps';

/** A query with its bound values. */
export interface Query {
  text: string;
  values: unknown[];
  /** One plan suits all values, so the statement is worth preparing. */
  recurs: boolean;
}

/** The values that every query of a report is bound to. */
export interface Scope {
  tenantId: number;
  zone: string;
  /** The month, 1 to 12, in which the tenant's financial year starts. */
  financialYearStart: number;
  /** From this row on, a query looks up on which day the page begins. */
  deepFrom: number;
  /** Limit in bytes for the rows of a page. */
  mostBytes: number;
}

/** The context in which the parts of a query are built. */
export interface Building {
  scope: Scope;
  source: Source;
  demand: Demand;
  bind: Bind;
  context: SourceContext;
  values: unknown[];
}

export function building(scope: Scope, source: Source, demand: Demand): Building {
  const values: unknown[] = [scope.tenantId];
  const bind: Bind = (value) => `$${values.push(value)}`;
  let start: string | undefined;
  const context = { financialYearStart: () => (start ??= `${bind(scope.financialYearStart)}::integer`) };
  return { scope, source, demand, bind, context, values };
}

export function isSummed({ source }: { source: Source }): boolean {
  return source.kind !== 'listing';
}

/** Further requirements of a query for the report's own rows. */
export interface LeafRows {
  /** Further columns of the report's table to select, as `row_…`. */
  key: readonly string[];
  /** Further conditions on the report's own table. */
  where: readonly string[];
  /** ORDER BY, LIMIT and OFFSET that need no joined table, so that only the rows of the page are joined. */
  page?: string;
}

export function sourceSql({ source }: Column, context: SourceContext): string {
  return typeof source === 'string' ? source : source(context);
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
  const { demand, source, bind, context, scope } = parts;
  const base = baseOfSource(source, { over, demand, zone: scope.zone, bind, context, top });
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
  const joined =
    isSummed(parts) && isNarrow(over)
      ? lookups(joins, TENANT)
      : steppedJoins(report, joins, base.steps, TENANT);
  if (!leaf.page) return `\n  ${select}\n  from ${base.from}\n  ${joined}${where}\n`;
  const page = `(\n  select * from ${base.from}${where}\n  ${leaf.page}\n  ) ${report.alias}`;
  return `\n  ${select}\n  from ${page}\n  ${joinClauses(joins, TENANT)}\n`;
}

function sumsOf(alias: string, { sums, extremes }: Demand): string[] {
  const value = (column: Column, name: string) => {
    const { scale } = column.measure!.fact!;
    return scale === 0 ? `${alias}.${name}` : `${alias}.${name} * ${(10 ** -scale).toFixed(scale)}`;
  };
  const fact = (column: Column) => column.measure!.fact!.column;
  return [
    ...[...sums].map((column) => `${value(column, fact(column))} as ${itemName(column)}`),
    ...[...extremes].flatMap((column) =>
      (['min', 'max'] as const).map(
        (end) => `${value(column, extreme(fact(column), end))} as ${endOf(column, end)}`,
      ),
    ),
  ];
}
