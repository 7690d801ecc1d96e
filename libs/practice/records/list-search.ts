import type { Knex } from 'knex';
import type { ListQuery } from '#platform/http/input/list-query';
import { knex, latestOf, lookUp, recordsOf } from './list-rows';
import type { AnyList } from './record-list';
import { startingWith } from './words';

/** A query by at least one word. */
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

interface Expression {
  sql: string;
  bindings: string[];
}

/** An SQL expression: whether each word begins a word of the row, or of a record that the row shows. */
export function matching(list: AnyList, words: readonly string[]): Expression {
  const each = words.map((word) => having(list, word));
  return {
    sql: each.map(({ sql }) => sql).join(' and '),
    bindings: each.flatMap(({ bindings }) => bindings),
  };
}

function having(list: AnyList, word: string): Expression {
  const searched = searchedOf(list);
  // null when the joined record does not exist
  const one = searched.map((alias) => `coalesce(${alias}.search @@ ?::tsquery, false)`).join(' or ');
  return { sql: `(${one})`, bindings: searched.map(() => startingWith([word])) };
}

/** Words are common when `hits` of the latest `rows` records have them. */
const PROBE = { rows: 100, hits: 5 };

/** How usual the words of a query are, according to the latest records. */
export interface Usual {
  /** Whether the words are common in the requested rows and the records that these show. */
  common: boolean;
  /** For each of several words: how many of the latest records have it, whatever the query's filters are. */
  hits: number[] | null;
}

/** Goes along the index of ids and looks records up by id. Like `record-statements`, it is prepared unless there are filters. */
export function usualQuery(search: Search): Knex.QueryBuilder {
  const { list, tenantId, query, words } = search;
  const { sql, bindings } = matching(list, words);
  const latest = latestOf(list, tenantId, query).select(knex.raw(`${sql} as hit`, bindings));
  const probe = lookUp(latest, list, tenantId, searchedOf(list)).limit(PROBE.rows, { skipBinding: true });
  const common = knex.from(probe.as('r')).select(knex.raw(`count(*) filter (where hit) >= ${PROBE.hits}`));
  const hits = words.length > 1 ? hitsOf(search) : knex.raw('null');
  return knex.select(knex.raw('? as common', [common]), knex.raw('? as hits', [hits]));
}

function hitsOf({ list, tenantId, words }: Search): Knex.QueryBuilder {
  const latest = recordsOf(list, tenantId).select('r.*').orderBy('r.id', 'desc');
  const probe = knex.from(latest.limit(PROBE.rows, { skipBinding: true }).as('r'));
  const each = words.map((word) => having(list, word));
  const counts = each.map(({ sql }) => `count(*) filter (where ${sql})`).join(', ');
  const bindings = each.flatMap((one) => one.bindings);
  return lookUp(probe, list, tenantId, searchedOf(list)).select(
    knex.raw(`array[${counts}]::int[]`, bindings),
  );
}

/** Sorts words with digits first, as numbers are rarer than names. */
const isNumbered = (word: string) => Number(/\p{N}/u.test(word));

/** Words that more of the latest records have are not looked up in an index of words: it would return too many rows. */
const OFTEN = 20;

/**
 * The words of a query to look up in an index: if a word may also be that of a record that the row shows, only the rarest
 * word, otherwise all that are not too frequent.
 */
export function soughtOf({ list, words }: Search, { hits }: Usual): readonly string[] {
  if (words.length === 1) return words;
  const rarest = rarestOf(words, hits!);
  if (searchedOf(list).length > 1) return [rarest];
  return words.filter((word, index) => word === rarest || hits![index] < OFTEN);
}

/** The word that the fewest of the latest records have; among equals one with digits, then the longest. */
function rarestOf(words: readonly string[], hits: readonly number[]): string {
  const [rarest] = [...words.keys()].sort(
    (a, b) =>
      hits[a] - hits[b] || isNumbered(words[b]) - isNumbered(words[a]) || words[b].length - words[a].length,
  );
  return words[rarest];
}
