import type { Knex } from 'knex';
import type { ListQuery } from '#platform/http/input/list-query';
import { knex, latestOf, lookUp, recordsOf } from './list-rows';
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

interface Expression {
  sql: string;
  bindings: string[];
}

/** An expression that says whether each word begins one of the words of a row, its own or those that it shows. */
export function matching(list: AnyList, words: readonly string[]): Expression {
  const each = words.map((word) => having(list, word));
  return {
    sql: each.map(({ sql }) => sql).join(' and '),
    bindings: each.flatMap(({ bindings }) => bindings),
  };
}

function having(list: AnyList, word: string): Expression {
  const searched = searchedOf(list);
  // null: the joined record is not there.
  const one = searched.map((alias) => `coalesce(${alias}.search @@ ?::tsquery, false)`).join(' or ');
  return { sql: `(${one})`, bindings: searched.map(() => startingWith([word])) };
}

/** Words are common when so many of the latest records have them. */
const PROBE = { rows: 100, hits: 5 };

/** What the latest records say of the words of a query. */
export interface Usual {
  /** They are common in the rows that it asks for and what those show. */
  common: boolean;
  /** How many of the latest records have each of several words, whatever else the query asks for. */
  hits: number[] | null;
}

/** Looks along the ids, and up by them: like `record-statements`, it is planned once where no filter makes it another one. */
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

/** A number is rarer than a name. */
const isNumbered = (word: string) => Number(/\p{N}/u.test(word));

/** Words that more of the latest records have are not looked for in an index of words: it would go through all that have them. */
const OFTEN = 20;

/**
 * The words that an index is asked for, out of all that are wanted: where some may be the row's own and some those of a
 * record that it shows the rarest alone, else those that are not in very many records.
 */
export function soughtOf({ list, words }: Search, { hits }: Usual): readonly string[] {
  if (words.length === 1) return words;
  const rarest = rarestOf(words, hits!);
  if (searchedOf(list).length > 1) return [rarest];
  return words.filter((word, index) => word === rarest || hits![index] < OFTEN);
}

/** The one that the fewest of the latest records have, of those a number, and then the longest. */
function rarestOf(words: readonly string[], hits: readonly number[]): string {
  const [rarest] = [...words.keys()].sort(
    (a, b) =>
      hits[a] - hits[b] || isNumbered(words[b]) - isNumbered(words[a]) || words[b].length - words[a].length,
  );
  return words[rarest];
}
