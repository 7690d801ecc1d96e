import type { Column } from '../columns/column';
import { fromClause, type Report } from '../columns/report';
import type { Bind, Condition } from '../condition';
import type { Expression } from '../expression';
import type { Plan } from '../plan';
import { expressionSql, item, itemName, shownSql } from './expressions';

/** A query with its bound values. */
export interface Query {
  text: string;
  values: unknown[];
}

/** What every query of a report is bound to. */
export interface Scope {
  tenantId: number;
  /** Month, 1 to 12, that starts the tenant's financial year. */
  financialYearStart: number;
}

/** The rows of a page, one more than asked for so that the end shows; a last column says whether currencies were mixed. */
export function rowsQuery(plan: Plan, scope: Scope): Query {
  const { bind, values } = parameters(scope);
  const fields = plan.fields.map(({ expression }) => shownSql(expression, bind));
  const mixed = `coalesce(bool_or(min(items.currency) <> max(items.currency)) over (), false)`;
  const selected = [...fields, plan.mixesCurrencies ? mixed : 'false'];
  const text = [
    `${withItems(plan, scope, bind)}`,
    `select ${selected.join(',\n  ')}`,
    ...rowSet(plan, bind),
    ...orderBy(plan, bind),
    `limit ${bind(plan.end - plan.start + 1)} offset ${bind(plan.start)}`,
  ].join('\n');
  return { text, values };
}

/** The number of rows that all pages of a plan have. */
export function countQuery(plan: Plan, scope: Scope): Query {
  const { bind, values } = parameters(scope);
  const rows = ['select 1', ...rowSet(plan, bind)].join('\n');
  return { text: `${withItems(plan, scope, bind)}\nselect count(*) from (${rows}) as rows`, values };
}

/** The distinct values of the pivots' columns: of each, how it is shown and its exact text. */
export function pivotQuery(
  report: Report,
  pivots: Column[],
  conditions: Condition[],
  limit: number,
  scope: Scope,
): Query {
  const { bind, values } = parameters(scope);
  const shown = pivots.map((column) => shownSql({ kind: 'value', column }, bind));
  const exact = pivots.map((column) => `${item(column)}::text`);
  const text = [
    `with items as (${itemsQuery(report, new Set(pivots), conditions, scope, bind)})`,
    `select ${[...shown, ...exact].join(', ')}`,
    `from items group by ${pivots.map(item).join(', ')}`,
    `order by ${pivots.map((column) => `${item(column)} nulls first`).join(', ')}`,
    `limit ${bind(limit)}`,
  ].join('\n');
  return { text, values };
}

function parameters(scope: Scope) {
  const values: unknown[] = [scope.tenantId];
  const bind: Bind = (value) => `$${values.push(value)}`;
  return { values, bind };
}

function withItems(plan: Plan, scope: Scope, bind: Bind): string {
  return `with items as (${itemsQuery(plan.report, usedColumns(plan), plan.conditions, scope, bind, plan.report.key)})`;
}

/** The report's rows that meet the conditions, each column's source under the column's name. */
function itemsQuery(
  report: Report,
  columns: Set<Column>,
  conditions: Condition[],
  scope: Scope,
  bind: Bind,
  key: readonly string[] = [],
): string {
  let start: string | undefined;
  const context = { financialYearStart: () => (start ??= `${bind(scope.financialYearStart)}::integer`) };
  const sources = [...columns].map((column) => {
    const source = typeof column.source === 'string' ? column.source : column.source(context);
    return `${source} as ${itemName(column)}`;
  });
  sources.push(...key.map((name) => `${report.alias}.${name} as row_${name}`));
  const joins = new Set([...columns, ...conditions].flatMap((each) => each.joins ?? []));
  const where = conditions.map((condition) => condition.sql(bind, context));
  return `\n  select ${sources.join(', ')}\n  ${fromClause(report, joins, '$1', where)}\n`;
}

function usedColumns({ report, fields, order, keys, zero, mixesCurrencies }: Plan): Set<Column> {
  const expressions = [
    ...fields.map((field) => field.expression),
    ...order.map((each) => each.expression),
    ...(zero?.measures ?? []),
  ];
  const used = new Set([...keys, ...(zero?.keys ?? [])]);
  for (const expression of expressions) {
    used.add(expression.column);
    const pivot = expression.kind === 'aggregate' ? (expression.pivot ?? []) : [];
    for (const { column } of pivot) used.add(column);
    const ratio = expression.kind === 'aggregate' ? (expression.column.measure?.ratio?.of ?? []) : [];
    for (const name of ratio) used.add(report.columns.get(name)!);
  }
  if (mixesCurrencies) used.add(report.columns.get('currency')!);
  return used;
}

/** FROM, WHERE, GROUP BY and HAVING over `items`. */
function rowSet({ level, keys, zero }: Plan, bind: Bind): string[] {
  const counts = zero && anyNonZero(zero.measures, bind);
  if (level === 'group') {
    const having = counts ?? (keys.length === 0 ? 'count(*) > 0' : undefined);
    return ['from items', `group by ${groupBy(keys)}`, ...(having ? [`having ${having}`] : [])];
  }
  // Totals are one row, also when pivots of nothing leave no aggregate in it.
  const one = level === 'totals' ? [`group by ${groupBy([])}`] : [];
  if (!zero) return ['from items', ...one];
  if (!zero.keys) return ['from items', `where ${counts}`, ...one];
  // totals: over the items of those groups that are not dropped; without keys all items are one group
  const tuple =
    zero.keys.flatMap((key) => [`${item(key)} is null`, `coalesce(${item(key)}::text, '')`]).join(', ') ||
    'true';
  const kept = `select ${tuple} from items group by ${groupBy(zero.keys)} having ${counts}`;
  return ['from items', `where (${tuple}) in (${kept})`, ...one];
}

function groupBy(keys: Column[]): string {
  return keys.length === 0 ? '()' : keys.map(item).join(', ');
}

function anyNonZero(measures: Expression[], bind: Bind): string {
  return `(${measures.map((measure) => `coalesce(${expressionSql(measure, bind)}, 0) <> 0`).join(' or ')})`;
}

/** Nulls lowest; ties by the row's key or the group's keys, in the direction of the last sort key. */
function orderBy({ report, level, keys, order }: Plan, bind: Bind): string[] {
  if (level === 'totals') return [];
  const desc = order.at(-1)?.desc ?? false;
  const sorted = order.map(({ expression, desc }) =>
    ordered(
      expressionSql(expression, bind),
      desc,
      expression.kind === 'value' && !!expression.column.required,
    ),
  );
  const ties =
    level === 'leaf'
      ? report.key.map((name) => ordered(`items.row_${name}`, desc, true))
      : keys.map((key) => ordered(item(key), desc, false));
  return sorted.length + ties.length > 0 ? [`order by ${[...sorted, ...ties].join(', ')}`] : [];
}

/** Without a word on nulls where there are none: an index serves only the order that it was made in. */
function ordered(sql: string, desc: boolean, required: boolean): string {
  const nulls = required ? '' : desc ? ' nulls last' : ' nulls first';
  return `${sql}${desc ? ' desc' : ''}${nulls}`;
}
