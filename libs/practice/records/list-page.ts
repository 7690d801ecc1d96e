import type { Knex } from 'knex';
import { found } from './list-found';
import { asIndexed, asShown, keysOf, named, type Order } from './list-order';
import { join, knex, lateral, rowsOf } from './list-rows';
import { matching, type Search, searchedOf, type Usual } from './list-search';

/** Which rows of a list are asked for, by words or without. */
export interface Asked extends Search {
  order: Order;
  limit: number;
  offset: number;
}

/*
 * The order of a list is that of an index, of its own table or a joined one, and what is common is found soon by going
 * along it (`near`). Rare words, and rows that lack the joined record, are found from the other side, and sorted
 * (`far`), only when that did not fill the page. The planner cannot choose: it does not know how common the beginning
 * of a word is, and went through everything for rare ones.
 *
 * Each answers with the rows' columns and the keys of their order.
 */

/** Rows that are gone through for common words. */
const WALK = 2000;

/** Whether a page's rows are in its own table's order, and no words are asked for: going along the index finds them all. */
export function isPlain({ words, order }: Asked): boolean {
  return words.length === 0 && order.alias === 'r';
}

export function nearRows(asked: Asked): Knex.QueryBuilder {
  const { list, tenantId, words, order, offset } = asked;
  const rows = rowsOf(list, tenantId, asked.query).select('r.*', knex.raw(named(order)));
  const needed = [order.alias];
  if (words.length === 0) return cut(join(rows, list, tenantId, { needed }), asked, asIndexed(order));
  const { sql, bindings } = matching(list, words);
  const walk = join(rows, list, tenantId, { needed, optional: searchedOf(list) })
    .select(knex.raw(`${sql} as hit`, bindings))
    .orderByRaw(asIndexed(order))
    .limit(WALK + offset)
    .as('r');
  return cut(knex.from(walk).select('*').where('hit', true), asked, asIndexed(keysOf(order)));
}

/** @param usual what is known of the words, if any are asked for */
export function farRows(asked: Asked, usual?: Usual): Knex.QueryBuilder {
  const { list, tenantId, query, words, order, limit, offset } = asked;
  const parts =
    words.length > 0
      ? found(asked, usual!, { order, rows: limit + offset })
      : [join(rowsOf(list, tenantId, query), list, tenantId, { optional: [order.alias] })];
  const keyed = parts.map((part) => part.select('r.id', knex.raw(named(order))));
  // `offset 0`: else each part goes through the index of the order again.
  const all = knex.select('*').from(knex.raw('(? offset 0) as found', [knex.union(keyed, true)]));
  const page = cut(all, asked, asShown(keysOf(order))).as('page');
  // Only now the whole rows: to sort hundreds with all their columns took longer than to look up a page of them again.
  const whole = knex.raw(lateral(list.projection, 'r', 'r.id = page.id'), { tenantId });
  return knex
    .from(page)
    .joinRaw('cross join ?', [whole])
    .select('r.*', ...keysOf(order).columns);
}

function cut(rows: Knex.QueryBuilder, { limit, offset }: Asked, order: string): Knex.QueryBuilder {
  return rows.orderByRaw(order).limit(limit).offset(offset);
}
