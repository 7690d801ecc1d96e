import type { Knex } from 'knex';
import type { ListQuery } from '#platform/http/list-query';
import type { TenantRef } from '#platform/request-context';
import { reached } from '#projections/live';
import { asShown, orderOf } from './list-order';
import { pageRows } from './list-page';
import { knex, recordsOf, rowsOf, shown } from './list-rows';
import { found, usual } from './list-search';
import type { AnyList } from './record-list';
import { wordsOf } from './words';

export interface Statement {
  sql: string;
  bindings: readonly unknown[];
}

/** One record by id. */
export function oneStatement(list: AnyList, tenantId: number, id: string): Statement {
  return native(shown(recordsOf(list, tenantId).select('r.*').where('r.id', id), list, tenantId));
}

/**
 * A page, with one row more than it holds to tell whether another follows. The position comes with it in one statement:
 * asked for apart, it could be ahead of the rows.
 */
export function pageStatement(list: AnyList, tenant: TenantRef, query: ListQuery): Statement {
  const { pageIndex = 0, pageSize = 50 } = query;
  const order = orderOf(list, query);
  const rows = pageRows({
    ...{ list, query, order, tenantId: tenant.id, words: wordsOf(query.keywords ?? '') },
    ...{ limit: pageSize + 1, offset: pageIndex * pageSize },
  });
  const page = shown(rows, list, tenant.id)
    .select(
      knex.raw("r.changed_epoch || '.' || r.changed_transaction_id || '.' || r.changed_position as changed"),
    )
    .orderByRaw(asShown(order));
  const position = knex.raw(`(select ${reached(list.projection, ':id', ':partition')} as reached) at`, {
    id: tenant.id,
    partition: tenant.partition,
  });
  return native(
    knex
      .select('*')
      .from(position)
      .leftJoin(page.as('page'), knex.raw('true'))
      .whereRaw('read_model.alone()'),
  );
}

export function countStatement(list: AnyList, tenantId: number, query: ListQuery): Statement {
  const words = wordsOf(query.keywords ?? '');
  const parts = words.length > 0 ? found(list, tenantId, query, words) : [rowsOf(list, tenantId, query)];
  const all = knex.unionAll(parts.map((part) => part.select('r.id')));
  const counted = knex.from(all.as('found')).count('* as count');
  return native(words.length > 0 ? counted.withMaterialized(...usual(list, tenantId, words)) : counted);
}

function native(query: Knex.QueryBuilder): Statement {
  const { sql, bindings } = query.toSQL().toNative();
  return { sql, bindings };
}
