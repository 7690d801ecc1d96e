import type { Knex } from 'knex';
import type { ListQuery } from '#platform/http/list-query';
import { join, knex, recordsOf, rowsOf, rowsThatShow, someThatShow } from './list-rows';
import type { AnyList } from './record-list';
import { startingWith } from './words';

/** The aliases whose words `keywords` searches. */
export function searchedOf(list: AnyList): readonly string[] {
  return list.searched ?? ['r'];
}

/** An expression that says whether each word begins one of the words of a row, its own or those that it shows. */
export function matching(list: AnyList, words: readonly string[]): { sql: string; bindings: string[] } {
  const searched = searchedOf(list);
  // null: the joined record is not there.
  const one = searched.map((alias) => `coalesce(${alias}.search @@ ?::tsquery, false)`).join(' or ');
  return {
    sql: words.map(() => `(${one})`).join(' and '),
    bindings: words.flatMap((word) => searched.map(() => startingWith([word], 'all'))),
  };
}

/** Words are common when so many of the latest records have them. */
export const PROBE = { rows: 100, hits: 5 };

/** A query for whether one of several words at least is common in the rows themselves, to which `found` refers by a name. */
export function usual(
  list: AnyList,
  tenantId: number,
  words: readonly string[],
): [string, Knex.QueryBuilder] {
  const latest = recordsOf(list, tenantId)
    .select('r.search')
    .orderBy('r.id', 'desc')
    .limit(PROBE.rows)
    .as('r');
  const any = startingWith(words, 'any');
  const hits = knex.from(latest).whereRaw('r.search @@ ?::tsquery', [any]);
  return ['usual', hits.select(knex.raw('count(*) >= ? as own', [PROBE.hits]))];
}

/**
 * All rows that match a query, in parts that have none in common: those that have all words themselves, those that show
 * a record that has them all, and those that have some from each. Every part begins at an index of words; the last at
 * that of the other record where the rows' own words are common (as `usual` says), else at their own.
 * @param optional joined records that the rows may lack
 */
export function found(
  list: AnyList,
  tenantId: number,
  query: ListQuery,
  words: readonly string[],
  optional: readonly string[] = [],
): Knex.QueryBuilder[] {
  const [all, any] = [startingWith(words, 'all'), startingWith(words, 'any')];
  const parts: Knex.QueryBuilder[] = [];
  const own = searchedOf(list).includes('r');
  if (own) {
    const rows = rowsOf(list, tenantId, query).whereRaw('r.search @@ ?::tsquery', [all]);
    parts.push(join(rows, list, tenantId, { optional }));
  }
  for (const alias of searchedOf(list).filter((searched) => searched !== 'r')) {
    const add = (rows: Knex.QueryBuilder) => {
      if (own) rows.whereRaw('not r.search @@ ?::tsquery', [all]);
      parts.push(join(rows, list, tenantId, { optional, there: alias }));
      return rows;
    };
    const having = (which: string) => ({
      alias,
      condition: `${alias}.search @@ :which::tsquery`,
      bindings: { which },
    });
    add(rowsThatShow(list, tenantId, query, having(all)));
    if (!own || words.length === 1) continue;
    const match = matching(list, words);
    const mixed = (rows: Knex.QueryBuilder) =>
      add(rows).whereRaw(match.sql, match.bindings).whereRaw(`not ${alias}.search @@ ?::tsquery`, [all]);
    mixed(rowsThatShow(list, tenantId, query, having(any))).whereRaw('(select own from usual)');
    mixed(someThatShow(list, tenantId, query, having(any), 'r.search @@ :which::tsquery')).whereRaw(
      'not (select own from usual)',
    );
  }
  return parts;
}
