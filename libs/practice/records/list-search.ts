import type { Knex } from 'knex';
import type { ListQuery } from '#platform/http/list-query';
import { join, knex, latestOf, lookUp, recordsOf, rowsOf, rowsThatShow, someThatShow } from './list-rows';
import type { AnyList } from './record-list';
import { startingWith } from './words';

/** A query by words: at least one. */
export interface Search {
  list: AnyList;
  tenantId: number;
  query: ListQuery;
  words: readonly string[];
}

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
const PROBE = { rows: 100, hits: 5 };

/** What the latest records say of the words of a query. */
export interface Usual {
  /** They are common in the rows that it asks for and what those show. */
  common: boolean;
  /** One of several at least is common in the rows' own words. */
  own: boolean;
}

/** Looks along the ids, and up by them: like `record-statements`, it is planned once where no filter makes it another one. */
export function usualQuery(search: Search): Knex.QueryBuilder {
  const { list, tenantId, query, words } = search;
  const { sql, bindings } = matching(list, words);
  const latest = latestOf(list, tenantId, query).select(knex.raw(`${sql} as hit`, bindings));
  const probe = lookUp(latest, list, tenantId, searchedOf(list)).limit(PROBE.rows, { skipBinding: true });
  const common = knex.from(probe.as('r')).select(knex.raw(`count(*) filter (where hit) >= ${PROBE.hits}`));
  const own = isMixed(search) ? ownAreUsual(search) : knex.raw('false');
  return knex.select(knex.raw('? as common', [common]), knex.raw('? as own', [own]));
}

function ownAreUsual({ list, tenantId, words }: Search): Knex.QueryBuilder {
  const rows = recordsOf(list, tenantId).select('r.search').orderBy('r.id', 'desc');
  return knex
    .from(rows.limit(PROBE.rows, { skipBinding: true }).as('r'))
    .whereRaw('r.search @@ ?::tsquery', [startingWith(words, 'any')])
    .select(knex.raw(`count(*) >= ${PROBE.hits}`));
}

/** Some words may be the row's own and some those of a record that it shows. */
function isMixed({ list, words }: Search): boolean {
  const searched = searchedOf(list);
  return words.length > 1 && searched.length > 1 && searched.includes('r');
}

/**
 * All rows that match a query, in parts that have none in common: those that have all words themselves, those that show
 * a record that has them all, and those that have some from each. Every part begins at an index of words; the last at
 * that of the other record where the rows' own words are common, else at their own.
 * @param isUsual whether they are
 * @param optional joined records that the rows may lack
 */
export function found(
  search: Search,
  isUsual: boolean,
  optional: readonly string[] = [],
): Knex.QueryBuilder[] {
  const { list, tenantId, query, words } = search;
  const [all, any] = [startingWith(words, 'all'), startingWith(words, 'any')];
  const parts: Knex.QueryBuilder[] = [];
  const own = searchedOf(list).includes('r');
  if (own) {
    const rows = rowsOf(list, tenantId, query).whereRaw('r.search @@ ?::tsquery', [all]);
    parts.push(join(rows, list, tenantId, { optional }));
  }
  const match = matching(list, words);
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
    const mixed = isMixed(search);
    // Whoever shows a record with any of the words has been looked at for all of them.
    if (mixed && isUsual) {
      add(rowsThatShow(list, tenantId, query, having(any))).whereRaw(match.sql, match.bindings);
      continue;
    }
    add(rowsThatShow(list, tenantId, query, having(all)));
    if (!mixed) continue;
    add(someThatShow(list, tenantId, query, having(any), 'r.search @@ :which::tsquery'))
      .whereRaw(match.sql, match.bindings)
      .whereRaw(`not ${alias}.search @@ ?::tsquery`, [all]);
  }
  return parts;
}
