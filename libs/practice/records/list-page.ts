import type { Knex } from 'knex';
import { found } from './list-found';
import { asIndexed, asShown, keysOf, named, type Order } from './list-order';
import { join, knex, lateral, rowsOf } from './list-rows';
import { matching, type Search, searchedOf, type Usual } from './list-search';

/** A request for a page of a list, with or without words. */
export interface Asked extends Search {
  order: Order;
  limit: number;
  offset: number;
}

/*
 * Two ways to find a page. Every sort order of a list has an index, of its own table or of a joined one. Going along that
 * index (`near`) soon finds rows with common words. Only when it does not fill the page are the rows found from the index
 * of words and then sorted (`far`): rows with rare words, and rows that lack the joined record. The planner cannot choose
 * between the two: it does not know how common the beginning of a word is, and scanned everything for rare ones.
 *
 * Both return the rows' columns and their sort keys.
 */

/** The number of rows that `near` looks at, at most. */
const WALK = 2000;

/** Whether a request has no words and is sorted by a column of the list's own table: going along the index finds every row. */
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

/** The page's rows, found from the index of words. @param usual how usual the words are, if there are any */
export function farRows(asked: Asked, usual?: Usual): Knex.QueryBuilder {
  const { list, tenantId, query, words, order, limit, offset } = asked;
  const parts =
    words.length > 0
      ? found(asked, usual!, { order, rows: limit + offset })
      : [join(rowsOf(list, tenantId, query), list, tenantId, { optional: [order.alias] })];
  const keyed = parts.map((part) => part.select('r.id', knex.raw(named(order))));
  // Without `offset 0` each part would scan the index of the sort order again.
  const all = knex.select('*').from(knex.raw('(? offset 0) as found', [knex.union(keyed, true)]));
  const page = cut(all, asked, asShown(keysOf(order))).as('page');
  // Whole rows are read only now: sorting hundreds with all columns takes longer than looking up the page's rows again.
  const whole = knex.raw(lateral(list.projection, 'r', 'r.id = page.id'), { tenantId });
  return knex
    .from(page)
    .joinRaw('cross join ?', [whole])
    .select('r.*', ...keysOf(order).columns);
}

function cut(rows: Knex.QueryBuilder, { limit, offset }: Asked, order: string): Knex.QueryBuilder {
  return rows.orderByRaw(order).limit(limit).offset(offset);
}
