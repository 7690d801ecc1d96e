import type { Knex } from 'knex';
import { LRUCache } from 'lru-cache';
import type { QueryConfig } from 'pg';
import type { ListQuery } from '#platform/http/input/list-query';
import type { TenantRef } from '#platform/request-context';
import { reached } from '#projections/live';
import { found } from './list-found';
import { asShown, keysOf, orderOf } from './list-order';
import { type Asked, farRows, nearRows } from './list-page';
import { knex, rowsOf } from './list-rows';
import { type Search, type Usual, usualQuery } from './list-search';
import type { AnyList } from './record-list';
import { leadsOf, OWN, shownColumns, shownRecords } from './record-statements';
import { wordsOf } from './words';

/**
 * Statements that search for records: see decision 16. Those with few variants are named, so that each connection plans them
 * once; all others are planned anew each time.
 */

/** Executes a statement and returns its rows. */
export type Ask = <Row extends object>(statement: QueryConfig) => Promise<Row[]>;

/** Parameters of a list that are no filters. Keywords are among them, as they are treated apart. */
const UNFILTERED = { keywords: 0, pageIndex: 0, pageSize: 0, sort: 0, includeTotalCount: 0 };

/** The most words of a named statement: more are rare, and each number of words is another statement. */
const NAMED_WORDS = 3;

function isUnfiltered(query: ListQuery): boolean {
  return Object.entries(query).every(([name, value]) => value === undefined || name in UNFILTERED);
}

/** Whether a page's statements are named: first pages without filters, in any order, or by words in the list's own order. */
export function isNamed({ query, words, offset }: Asked): boolean {
  const isOfFew = words.length === 0 || (query.sort === undefined && words.length <= NAMED_WORDS);
  return offset === 0 && isOfFew && isUnfiltered(query);
}

/** The request of a query: one row more than the page holds, to see whether another page follows. */
export function askedOf(list: AnyList, tenant: TenantRef, query: ListQuery): Asked {
  const { pageIndex = 0, pageSize = 50, keywords = '' } = query;
  const page = { limit: pageSize + 1, offset: pageIndex * pageSize };
  return { list, query, tenantId: tenant.id, words: wordsOf(keywords), order: orderOf(list, query), ...page };
}

export function usualStatement(search: Search): QueryConfig {
  const { list, query, words } = search;
  const statement = native(usualQuery(search));
  const isNamed = isUnfiltered(query) && words.length <= NAMED_WORDS;
  return isNamed ? { name: `usual.${list.kind}.${words.length}`, ...statement } : statement;
}

export function nearStatement(asked: Asked, tenant: TenantRef): QueryConfig {
  return pageStatement('near', asked, tenant, () => nearRows(asked));
}

export function farStatement(asked: Asked, tenant: TenantRef, usual?: Usual): QueryConfig {
  return pageStatement('far', asked, tenant, () => farRows(asked, usual), usual);
}

/** A cache of named statements: building one takes a seventh of Node's time for a page. */
const built = new LRUCache<string, QueryConfig>({ max: 500 });

function pageStatement(
  way: 'near' | 'far',
  asked: Asked,
  tenant: TenantRef,
  rows: () => Knex.QueryBuilder,
  usual?: Usual,
): QueryConfig {
  if (!isNamed(asked)) return builtStatement(asked, tenant, rows());
  const { list, words, limit, query } = asked;
  const name = `${way}.${list.kind}.${query.sort ?? list.order}.${words.length}`;
  const key = JSON.stringify([name, tenant.id, tenant.partition, limit, words, usual?.hits]);
  let statement = built.get(key);
  if (!statement) built.set(key, (statement = { name, ...builtStatement(asked, tenant, rows()) }));
  return statement;
}

/**
 * The statement for a page's rows. A named one also returns what the rows show of other records, any other one the columns by
 * which these are looked up. It also returns the read model's position, which could be ahead of the rows if it were
 * read separately.
 */
function builtStatement(asked: Asked, { id, partition }: TenantRef, rows: Knex.QueryBuilder): QueryConfig {
  const { list, order } = asked;
  const page = knex
    .select(
      isNamed(asked)
        ? [...OWN, ...shownColumns(list).map((column) => knex.raw(column))]
        : [...new Set([...OWN, ...leadsOf(list)])],
    )
    .select(
      knex.raw("r.changed_epoch || '.' || r.changed_transaction_id || '.' || r.changed_position as changed"),
    )
    .from(rows.as('r'))
    .orderByRaw(asShown(keysOf(order)));
  if (isNamed(asked)) for (const record of shownRecords(list, ':id')) page.joinRaw(record, { id });
  // Without `offset 0` the position would be computed for each row of the page.
  const position = `(select ${reached(list.projection, ':id', ':partition')} as reached offset 0) at`;
  return native(
    knex
      .select('*')
      .from(knex.raw(position, { id, partition }))
      .leftJoin(page.as('page'), knex.raw('true'))
      .whereRaw('read_model.alone()'),
  );
}

export function countStatement(search: Search, usual?: Usual): QueryConfig {
  const { list, tenantId, query, words } = search;
  const parts = words.length > 0 ? found(search, usual!) : [rowsOf(list, tenantId, query)];
  const all = knex.union(parts.map((part) => part.select('r.id')));
  return native(knex.from(all.as('found')).count('* as count'));
}

function native(query: Knex.QueryBuilder): QueryConfig {
  const { sql, bindings } = query.toSQL().toNative();
  return { text: sql, values: [...bindings] };
}
