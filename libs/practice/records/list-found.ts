import type { Knex } from 'knex';
import { asIndexed, type Order } from './list-order';
import { join, knex, lookUp, rowsOf, rowsThatShow, rowsWith } from './list-rows';
import { matching, type Search, searchedOf, soughtOf, type Usual } from './list-search';
import { leadsOf } from './record-statements';
import { startingWith } from './words';

/** How many of the first rows are wanted, and in which order. */
interface First {
  order: Order;
  rows: number;
}

/**
 * SQL for all rows that match a query, in parts that may overlap: rows that have the words themselves, and rows that show a
 * record that has them. Each part starts from an index of words. Of several words, the {@link soughtOf sought} ones are
 * looked up, and the rows found are tested for the others.
 * @param first how many of each part's first rows are needed at least; default: all
 */
export function found(search: Search, usual: Usual, first?: First): Knex.QueryBuilder[] {
  const { list, tenantId, query, words } = search;
  const several = words.length > 1;
  const which = startingWith(soughtOf(search, usual));
  const match = matching(list, words);
  const optional = first && first.order.alias !== 'r' ? [first.order.alias] : [];
  const searched = searchedOf(list);
  const own = searched.includes('r');
  const parts: Knex.QueryBuilder[] = [];
  if (own) {
    const rows = rowsOf(list, tenantId, query).whereRaw('r.search @@ ?::tsquery', [which]);
    parts.push(several ? goneThrough(search, rows, first) : join(rows, list, tenantId, { optional }));
  }
  for (const alias of searched.filter((one) => one !== 'r')) {
    const other = { alias, condition: `${alias}.search @@ :which::tsquery`, bindings: { which } };
    const isFollowed = several || optional.length > 0;
    const rows = (isFollowed ? rowsWith : rowsThatShow)(list, tenantId, query, other);
    if (several) rows.whereRaw(match.sql, match.bindings);
    parts.push(isFollowed ? join(rows, list, tenantId, { optional, there: alias }) : rows);
  }
  return parts;
}

/** Tests each row for all words. When sorting needs no other record, in sort order, so that the first matches may suffice. */
function goneThrough(search: Search, rows: Knex.QueryBuilder, first?: First): Knex.QueryBuilder {
  const { list, tenantId, words } = search;
  const { sql, bindings } = matching(list, words);
  const searched = searchedOf(list);
  const all = (from: Knex.QueryBuilder, optional: string[]) =>
    lookUp(from, list, tenantId, [...optional, ...searched]).whereRaw(sql, bindings);
  if (!first) return all(rows, []);
  const { order } = first;
  if (order.alias !== 'r') return all(rows, [order.alias]);
  const needed = ['r.search', ...order.columns, ...leadsOf(list)];
  const sorted = rows.select([...new Set(needed)]).orderByRaw(asIndexed(order));
  return all(knex.from(sorted.as('r')), [])
    .orderByRaw(asIndexed(order))
    .limit(first.rows);
}
