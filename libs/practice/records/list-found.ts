import type { Knex } from 'knex';
import { asIndexed, type Order } from './list-order';
import { join, knex, lookUp, rowsOf, rowsThatShow, rowsWith } from './list-rows';
import { matching, type Search, searchedOf, soughtOf, type Usual } from './list-search';
import { leadsOf } from './record-statements';
import { startingWith } from './words';

/** The rows that are wanted: so many of the first ones. */
interface First {
  order: Order;
  rows: number;
}

/**
 * All rows that match a query, in parts that may have some in common: those that have the words themselves, and those
 * that show a record that has them. Every part begins at an index of words: of several words it is asked for those that
 * are {@link soughtOf sought}, and what has them is looked at for all.
 * @param first the rows of each part that are wanted at least, with what they are sorted by; all by default
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

/** Rows of which each is looked at for all words: in their order, where that needs no other record, as the first ones may do. */
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
