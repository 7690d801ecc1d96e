import type { Knex } from 'knex';
import type { ListQuery } from '#platform/http/list-query';
import { asIndexed, asShown, keysOf, named, type Order } from './list-order';
import { join, knex, latestOf, rowsOf } from './list-rows';
import { found, matching, PROBE, searchedOf, usual } from './list-search';
import type { AnyList } from './record-list';

/** Which rows of a list are asked for. */
export interface Asked {
  list: AnyList;
  tenantId: number;
  query: ListQuery;
  words: readonly string[];
  order: Order;
  limit: number;
  offset: number;
}

/** Rows that are gone through for common words. */
const WALK = 2000;

/**
 * The rows of a page, in no order.
 *
 * The order of a list is that of an index, of its own table or a joined one, and what is common is found soon by going
 * along it (`near`). Rare words, and rows that lack the joined record, are found from the other side, and sorted
 * (`far`), only when that did not fill the page. The planner cannot choose: it does not know how common the beginning
 * of a word is, and went through everything for rare ones.
 */
export function pageRows(asked: Asked): Knex.QueryBuilder {
  const { list, tenantId, query, words, order, limit, offset } = asked;
  if (words.length === 0 && order.alias === 'r') {
    const rows = rowsOf(list, tenantId, query).select('r.*');
    return rows.orderByRaw(asIndexed(order)).limit(limit).offset(offset);
  }
  const [near, far] = words.length > 0 ? withWords(asked) : withJoined(asked);
  const page = (rows: Knex.QueryBuilder, by: string) => rows.orderByRaw(by).limit(limit).offset(offset);
  const known = knex.select('*').from('near').whereRaw('(select enough from choice)');
  const other = knex.select('*').from(far).whereRaw('not (select enough from choice)');
  const search =
    words.length > 0 ? knex.withMaterialized(...usual(list, tenantId, words)) : knex.queryBuilder();
  return search
    .withMaterialized('near', page(near, asIndexed(keysOf(order))))
    .withMaterialized('choice', knex.raw('select count(*) = ? as enough from near', [limit]))
    .select('*')
    .from(knex.unionAll([known, page(other, asShown(keysOf(order)))], true).as('r'));
}

/** The rows of a list sorted by a column of a joined record. */
function withJoined({ list, tenantId, query, order }: Asked) {
  const rows = () => rowsOf(list, tenantId, query).select('r.*', knex.raw(named(order)));
  const near = join(rows(), list, tenantId, { needed: [order.alias] });
  const far = join(rows(), list, tenantId, { optional: [order.alias] });
  return [near, far.as('r')] as const;
}

/** The rows of a list that have words. */
function withWords({ list, tenantId, query, words, order, offset }: Asked) {
  const { sql, bindings } = matching(list, words);
  const hit = knex.raw(`${sql} as hit`, bindings);
  const optional = searchedOf(list);
  const latest = latestOf(list, tenantId, query).select(hit);
  const probe = join(latest, list, tenantId, { optional }).limit(PROBE.rows).as('r');
  const common = knex.from(probe).select(knex.raw('count(*) filter (where hit) >= ?', [PROBE.hits]));
  const walk = join(rowsOf(list, tenantId, query).select(hit), list, tenantId, {
    needed: [order.alias],
    optional,
  })
    .select('r.*', knex.raw(named(order)))
    .orderByRaw(asIndexed(order))
    .limit(WALK + offset)
    .as('r');
  const near = knex.from(walk).select('*').where('hit', true).whereRaw('?', [common]);
  const parts = found(list, tenantId, query, words, [order.alias]).map((part) =>
    part.select(knex.raw('true as hit'), 'r.*', knex.raw(named(order))),
  );
  // `offset 0`: else each part goes through the index of the order again.
  const far = knex.raw('(? offset 0) as r', [knex.unionAll(parts, true)]);
  return [near, far] as const;
}
