import type { Knex } from 'knex';
import type { ListQuery } from '#platform/http/list-query';
import { join, knex, recordsOf, rowsOf, rowsThatShow } from './list-rows';
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

/**
 * All rows that match a query, in parts that have none in common: those that have all words themselves, those that show
 * a record that has them all, and those that have some from each. Every part begins at an index of words.
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
    const showing = (which: string) => {
      const other = { alias, condition: `${alias}.search @@ :which::tsquery`, bindings: { which } };
      const rows = rowsThatShow(list, tenantId, query, other);
      if (own) rows.whereRaw('not r.search @@ ?::tsquery', [all]);
      parts.push(join(rows, list, tenantId, { optional, there: alias }));
      return rows;
    };
    showing(all);
    if (!own || words.length === 1) continue;
    const match = matching(list, words);
    const some = recordsOf(list, tenantId).select('r.id').whereRaw('r.search @@ ?::tsquery', [any]);
    // Materialised: else the planner looks for the first one without the index.
    const exists = knex.withMaterialized('some', some).select('id').from('some');
    showing(any)
      .whereRaw(match.sql, match.bindings)
      .whereRaw(`not ${alias}.search @@ ?::tsquery`, [all])
      .whereExists(exists);
  }
  return parts;
}
