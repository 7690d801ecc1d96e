import type { Column } from '../columns/column';
import { type Cell, type Expression, isPivoted, type Pivoted } from '../expression';
import { type Building, isSummed } from './building';
import { CELL, castTypes, endOf, ITEMS, item, itemName, jsonSql } from './expressions';
import { BIGINT_SUM, sumFunction } from './sums';

/**
 * The common table expression `items`. With pivots, each of its rows has the number of its cell, and sums are added up
 * further, by the keys alone: a year has thousands of sums of single days where it has hundreds of its months. It is
 * materialized, or else keys would be computed again wherever they are used.
 * @param items the SELECT of its rows
 * @param expressions everything that is computed from it
 */
export function itemsTable(items: string, expressions: readonly Expression[], parts: Building): string {
  const cells = cellsOf(expressions);
  if (cells.length === 0) return `items as (${items})`;
  const { bind } = parts;
  const columns = cells[0].values.map(({ column }) => column);
  const values = columns.map(
    ({ type }, place) => `${bind(cells.map((cell) => cell.values[place].value))}::${castTypes[type]}[]`,
  );
  const numbers = `${bind(cells.map(({ number }) => number))}::integer[]`;
  return `items as materialized (
  select items.*, c.${CELL} from (${isSummed(parts) ? addedUp(items, parts) : items}) items
  left join unnest(${[...values, numbers].join(', ')}) c(${columns.map((_, place) => `p${place}`).join(', ')}, ${CELL})
    on ${columns.map((column, place) => same(column, `c.p${place}`)).join(' and ')}
)`;
}

/** The cells of all expressions, each once. */
function cellsOf(expressions: readonly Expression[]): Cell[] {
  const cells = expressions.filter(isPivoted).map(({ pivot }) => pivot);
  return [...new Map(cells.map((cell) => [cell.number, cell])).values()];
}

function addedUp(items: string, parts: Building): string {
  const { keys, sums, extremes } = parts.demand;
  const by = [...keys].map(item);
  const all = [
    ...by,
    ...[...sums].map((column) => `${sumFunction(column, parts)}(${item(column)}) as ${itemName(column)}`),
    ...[...extremes].flatMap((column) =>
      (['min', 'max'] as const).map((end) => `${end}(items.${endOf(column, end)}) as ${endOf(column, end)}`),
    ),
    `${BIGINT_SUM}(items.${ITEMS}) as ${ITEMS}`,
  ];
  return `\n  select ${all.join(', ')}\n  from (${items}) items\n  group by ${by.join(', ')}\n  `;
}

/**
 * SELECT of the rows of a page with pivot fields, as JSON. The rows are found first; the cells of these rows alone are
 * aggregated, and then put together. With an aggregate for each of 500 fields, every item would be tested 500 times.
 * @param head SELECT, from `items`, of the rows of the page in their order: see `headOf`
 * @param rows the keys of the rows, and WHERE over `items`
 * @param fields the pivot fields, each with the beginning of its JSON
 */
export function pivotedPage(
  head: string,
  rows: { keys: readonly Column[]; where: string },
  fields: readonly { expression: Pivoted; member: string }[],
  parts: Building,
): { with: string; page: string } {
  const { bind } = parts;
  const { keys, where } = rows;
  const aggregates = new Map<Column, string>();
  const places = fields.map(({ expression }) => {
    const { column } = expression;
    if (!aggregates.has(column)) aggregates.set(column, jsonSql({ ...expression, pivot: undefined }, parts));
    return [...aggregates.keys()].indexOf(column) + 1;
  });
  const cells = fields.map(({ expression }) => expression.pivot.number);
  const join = keys.map((key, place) => same(key, `h.k${place}`)).join(' and ') || 'true';
  return {
    with: `head as materialized (select *, row_number() over () as place from (
  ${head}
) ordered),
cells as (
  select h.place, items.${CELL}, array[${[...aggregates.values()].join(', ')}] as json
  from head h join items on ${join}${where}
  group by h.place, items.${CELL}
)`,
    page: `select h.json || f.json || '}' as json, h.mixed
  from head h join (
    select h.place, string_agg(f.member || coalesce(c.json[f.aggregate], 'null'), '' order by f.number) as json
    from head h cross join unnest(${bind(fields.map(({ member }) => member))}::text[], ${bind(cells)}::integer[], ${bind(places)}::integer[])
      with ordinality f(member, ${CELL}, aggregate, number)
    left join cells c on c.place = h.place and c.${CELL} = f.${CELL}
    group by h.place
  ) f using (place)
  order by place`,
  };
}

/** Output columns of the keys of a page's rows, by which `pivotedPage` finds their items. */
export function headOf(keys: readonly Column[]): string[] {
  return keys.map((key, place) => `${item(key)}::${castTypes[key.type]} as k${place}`);
}

/**
 * SQL that a column of `items` has another value, or that both are null. Arrays with a null in them can be equal, unlike
 * values, and still be joined by their hashes.
 */
function same(column: Column, value: string): string {
  return `array[${item(column)}::${castTypes[column.type]}] = array[${value}]`;
}
