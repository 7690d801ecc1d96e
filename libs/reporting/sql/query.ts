import { rollupCode } from '#projections/derived-tables';
import type { Column } from '../columns/column';
import type { Report } from '../columns/report';
import { type Expression, type Field, isPivoted } from '../expression';
import type { Plan } from '../plan';
import { type Demand, demandOf } from '../sources/demand';
import type { Over, Source } from '../sources/source';
import { calendarSql } from '../tenant-calendar';
import { type Building, building, isSummed, type Query, type Scope, TENANT } from './building';
import { headOf, itemsTable, pivotedPage } from './cells';
import { pageDay } from './deep-page';
import { expressionSql, finished, item, jsonSql, shownSql, sourceSql } from './expressions';
import { itemsQuery } from './items';
import { liveOf } from './joins';
import { hasOnePlan, isByDay } from './one-plan';
import { isReferredBy } from './page';
import { topGroups } from './top-groups';

/** More pivot fields than these are planned with their number: a plan for all values takes any list for ten long. */
const FEW_FIELDS = 40;

/** SQL that a group has several currencies. */
const MIXED = 'min(items.currency) <> max(items.currency)';

/** SQL of whether a tenant's rows are of several currencies, from the few sums that are kept for all rows of a year. */
function severalCurrencies({ derived: { rollup }, ...report }: Report): string {
  const [dimension, grain] = rollupCode(rollup, 'all', 'year', false);
  return `(select count(distinct r.currency) > 1 from read_model.${rollup.name} r
    where ${liveOf({ ...report, alias: 'r' })} and r.dimension = ${dimension} and r.grain = ${grain} and r.items <> 0)`;
}

/** Everything that the rows of a plan are computed from. */
function expressionsOf({ fields, order, zero }: Plan): Expression[] {
  return [...[...fields, ...order].map(({ expression }) => expression), ...(zero?.measures ?? [])];
}

/** What the rows of a plan need from their source. */
export function rowsDemand(plan: Plan): Demand {
  const { report, level, keys, zero, mixesCurrencies } = plan;
  const currency = mixesCurrencies ? currencyOf(report) : [];
  const demand = demandOf(report, [...keys, ...(zero?.keys ?? []), ...currency], expressionsOf(plan));
  return level === 'leaf' ? { ...demand, rows: true } : demand;
}

/**
 * Query for the rows of a page as a single row: the tenant's calendar at that moment; the number of rows, up to one
 * more than requested, which shows whether the page is the last; whether currencies were mixed, or there are several
 * where the plan needs one; the requested rows as JSON texts separated by commas; and the number of rows that stay
 * within the size limit. Building objects of ten thousand rows took Node ten times as long as passing on their text.
 */
export function rowsQuery(plan: Plan, source: Source, scope: Scope): Query {
  const parts = building(scope, source, rowsDemand(plan));
  const { bind, values } = parts;
  const deep = plan.level === 'leaf' ? pageDay(plan, parts) : undefined;
  // The size of the page is literal because the best plan depends on it; the offset is bound because the plan does not.
  const size = Math.trunc(plan.end - plan.start + 1);
  const offset = plan.start === 0 ? undefined : (deep?.offset ?? `${bind(plan.start)}::bigint`);
  const order = plan.level === 'leaf' ? ownOrder(plan, parts) : undefined;
  const isAlongIndex = isByDay(plan) || (plan.order.length === 0 && !plan.period);
  const cut = order === undefined ? undefined : { order, size, offset, isAlongIndex };
  const leaf = { key: plan.report.key, where: deep?.where ?? [], cut };
  const top = topGroups(plan, parts);
  const items = itemsQuery(plan, parts, plan.level === 'leaf' ? leaf : undefined, top);
  const mixed = `coalesce(bool_or(${MIXED}) over (), false)`;
  const isMixed = plan.mixesCurrencies ? mixed : 'false';
  const where = whereKept(plan, parts);
  const limit = cut ? [] : [`limit ${size}${offset ? ` offset ${offset}` : ''}`];
  const rest = [...rowSet(plan, parts, where), ...orderBy(plan, parts), ...limit];
  const rows = (json: string, more: string[] = []) =>
    [`select ${[`${json} as json`, `${isMixed} as mixed`, ...more].join(', ')}`, ...rest].join('\n  ');
  const own = plan.fields.filter(({ expression }) => !isPivoted(expression));
  const pivoted = plan.fields.flatMap(({ name, expression }, index) =>
    isPivoted(expression) ? { expression, member: member(name, index) } : [],
  );
  const { with: steps = '', page } =
    pivoted.length === 0
      ? { page: rows(`${membersJson(own, parts)} || '}'`) }
      : pivotedPage(
          rows(own.length === 0 ? "''" : membersJson(own, parts), headOf(plan.keys)),
          { keys: plan.keys, where },
          pivoted,
          parts,
        );
  const fits = `bytes <= ${bind(scope.mostBytes)}::bigint`;
  const text = `with ${deep ? `${deep.with}, ` : ''}${itemsTable(items, expressionsOf(plan), parts)}${steps && `,\n${steps}`}
select ${calendarSql(TENANT)}, count(*), ${plan.needsOneCurrency ? severalCurrencies(plan.report) : 'bool_or(mixed)'},
  string_agg(json, ',') filter (where number <= ${bind(plan.end - plan.start)}::bigint and ${fits}), count(*) filter (where ${fits})
from (select json, mixed, row_number() over before as number, sum(octet_length(json)) over before as bytes from (
  ${page}
) page window before as (rows unbounded preceding)) numbered`;
  // Another index may find the few rows that meet a condition. How far records are read depends on the offset.
  const isAnyValue = plan.conditions.every(
    (condition) => condition.isCounted || (plan.start === 0 && isReferredBy(plan, condition)),
  );
  const hasPlan =
    plan.level === 'leaf'
      ? !!cut && isByDay(plan) && isAnyValue
      : (!!top && source.kind === 'rollup') || hasOnePlan(plan, source);
  return { text, values, recurs: hasPlan && pivoted.length <= FEW_FIELDS };
}

/** The beginning of a row's JSON: a member for each field. */
function membersJson(fields: readonly Field[], parts: Building): string {
  if (fields.length === 0) return `'{'`;
  return fields
    .map(({ name, expression }, index) => `'${member(name, index)}' || ${jsonSql(expression, parts)}`)
    .join('\n    || ');
}

/** The beginning of a member's JSON. */
function member(name: string, index: number): string {
  return `${index === 0 ? '{' : ','}${JSON.stringify(name)}:`;
}

/** What the number of a plan's rows needs from its source. */
export function countDemand({ report, keys, zero, level }: Plan): Demand {
  const currency = zero?.mixesCurrencies ? currencyOf(report) : [];
  const demand = demandOf(report, [...keys, ...(zero?.keys ?? []), ...currency], zero?.measures ?? []);
  return level === 'leaf' && zero ? { ...demand, rows: true } : demand;
}

function currencyOf(report: Report): Column[] {
  return [report.columns.get('currency')!];
}

/** Query for the number of rows on all pages of a plan. */
export function countQuery(plan: Plan, source: Source, scope: Scope): Query {
  const parts = building(scope, source, countDemand(plan));
  const items = `with ${itemsTable(itemsQuery(plan, parts), plan.zero?.measures ?? [], parts)}`;
  const { values } = parts;
  const recurs = hasOnePlan(plan, source);
  if (plan.level === 'leaf' && isSummed(parts))
    return { text: `${items}\nselect coalesce(sum(row_items), 0) from items`, values, recurs };
  const rows = ['select 1', ...rowSet(plan, parts, whereKept(plan, parts))].join('\n');
  return { text: `${items}\nselect count(*) from (${rows}) as rows`, values, recurs };
}

/** What the distinct values of pivots need from their source. */
export function pivotDemand({ report }: Over, pivots: Column[]): Demand {
  return demandOf(report, pivots, []);
}

/** Query for the distinct values of the pivots' columns: for each column, the shown value and its exact text. */
export function pivotQuery(over: Over, pivots: Column[], limit: number, source: Source, scope: Scope): Query {
  const parts = building(scope, source, pivotDemand(over, pivots));
  const { bind, values } = parts;
  const shown = pivots.map((column) => shownSql({ kind: 'value', column }, parts));
  const exact = pivots.map((column) => `${item(column)}::text`);
  const text = [
    `with items as (${itemsQuery(over, parts)})`,
    `select ${[...shown, ...exact].join(', ')}`,
    `from items group by ${pivots.map(item).join(', ')}`,
    `order by ${pivots.map((column) => `${item(column)} nulls first`).join(', ')}`,
    `limit ${bind(limit)}`,
  ].join('\n');
  return { text, values, recurs: hasOnePlan(over, source) };
}

/** FROM, WHERE, GROUP BY and HAVING over `items`. */
function rowSet({ level, keys, zero }: Plan, parts: Building, where: string): string[] {
  if (level === 'group') {
    const having = zero ? anyNonZero(zero, parts) : keys.length === 0 ? 'count(*) > 0' : undefined;
    return ['from items', `group by ${groupBy(keys)}`, ...(having ? [`having ${having}`] : [])];
  }
  // Totals are always one row, even when the pivots have no values and therefore no aggregates.
  return [`from items${where}`, ...(level === 'totals' ? [`group by ${groupBy([])}`] : [])];
}

/** WHERE over `items`: of leaf rows and totals, which a filter of groups or rows leaves. */
function whereKept({ level, zero }: Plan, parts: Building): string {
  if (level === 'group' || !zero) return '';
  const counts = anyNonZero(zero, parts);
  if (!zero.keys) return ` where ${counts}`;
  // Totals cover the items of the groups that the filter keeps. Without keys all items are one group.
  const tuple =
    zero.keys.flatMap((key) => [`${item(key)} is null`, `coalesce(${item(key)}::text, '')`]).join(', ') ||
    'true';
  return ` where (${tuple}) in (select ${tuple} from items group by ${groupBy(zero.keys)} having ${counts})`;
}

function groupBy(keys: Column[]): string {
  return keys.length === 0 ? '()' : keys.map(item).join(', ');
}

function anyNonZero({ measures, mixesCurrencies }: NonNullable<Plan['zero']>, parts: Building): string {
  const sql = measures.map((measure) => `coalesce(${expressionSql(measure, parts)}, 0) <> 0`);
  // A sum of several currencies says nothing even if it is 0: the group is kept, so that the request is refused.
  if (mixesCurrencies) sql.push(MIXED);
  return `(${sql.join(' or ') || 'false'})`;
}

/** ORDER BY of leaf rows over the report's own table; undefined when sorting or filtering needs other tables. */
function ownOrder(
  { report, period, order, tiesDesc, zero }: Plan,
  { context }: Building,
): string | undefined {
  const columns = order.map(({ expression }) => expression.column);
  if (zero || columns.some(({ joins }) => joins)) return undefined;
  const sorted = order.map(({ expression: { column }, desc }) =>
    ordered(finished(column, sourceSql(column, context)), desc, !!column.required),
  );
  // Ids follow time: along their index, PostgreSQL would pass all rows before the period. No index has their texts, which
  // are in the same order.
  const isOfPeriod = order.length === 0 && period !== undefined;
  const ties = report.key.map((name) => {
    const own = `${report.alias}.${name}`;
    return ordered(isOfPeriod && name === 'id' ? `${own}::text collate "C"` : own, tiesDesc, true);
  });
  return `order by ${[...sorted, ...ties].join(', ')}`;
}

/**
 * ORDER BY with nulls lowest. Ties are ordered by the row's key or the group's keys, in the direction of the last sort
 * key.
 */
function orderBy({ report, level, keys, order, tiesDesc }: Plan, parts: Building): string[] {
  if (level === 'totals') return [];
  const sorted = order.map(({ expression, desc }) =>
    ordered(
      expressionSql(expression, parts),
      desc,
      expression.kind === 'value' && !!expression.column.required,
    ),
  );
  const ties =
    level === 'leaf'
      ? report.key.map((name) => ordered(`items.row_${name}`, tiesDesc, true))
      : keys.map((key) => ordered(item(key), tiesDesc, false));
  return sorted.length + ties.length > 0 ? [`order by ${[...sorted, ...ties].join(', ')}`] : [];
}

/**
 * An ORDER BY key. It says nothing about nulls if there are none: an index serves only the order that it was created
 * with.
 */
function ordered(sql: string, desc: boolean, required: boolean): string {
  const nulls = required ? '' : desc ? ' nulls last' : ' nulls first';
  return `${sql}${desc ? ' desc' : ''}${nulls}`;
}
