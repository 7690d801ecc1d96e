import knexBuilder, { type Knex } from 'knex';
import { fromToken, START } from '#event-store/position';
import type { Kind } from '#kernel/ids';
import type { ListQuery } from '#platform/http/list-query';
import { SYNC_START } from '#platform/http/list-query';
import type { TenantRef } from '#platform/request-context';
import { live, reached } from '#projections/live';
import { wordsOf } from './words';

/** Builds SQL only; it has no connection. */
const knex = knexBuilder({ client: 'pg' });

/** A read table's row: what every record has, and the area's joined columns. */
export interface RecordRow {
  id: string;
  version: number;
  is_deleted: boolean;
  created_on: Date;
  created_by: string;
  updated_on: Date;
  updated_by: string;
  // biome-ignore lint/suspicious/noExplicitAny: the area's own state, as its projection wrote it
  state: any;
  [joined: string]: unknown;
}

/** What a page's statement answers with: each row of the page, or one without an id when there is none. */
export type PageRow = (RecordRow | { id: null }) & {
  /** Where the read model stood, and where the row's last change stands, as printPosition has it. */
  reached: string;
  changed: string;
};

/** A table joined for the columns of another record. */
export interface Join {
  projection: string;
  table: string;
  alias: string;
  /** Column of the record (or of an earlier join) that holds the joined record's id, with its alias: `r.client_id`. */
  on: string;
  columns: Record<string, string>;
}

/** How an area is listed. */
export interface RecordList<Query extends ListQuery, View extends object> {
  kind: Kind;
  projection: string;
  table: string;
  joins?: readonly Join[];
  /** Columns, with their alias, by the name that `sort` takes. */
  sorts: Record<string, string>;
  /** Default order, as `sort` takes it. */
  order: string;
  /** Aliases whose words `keywords` searches. */
  searched?: readonly string[];
  filter?(query: Query, where: (column: string, operator: string, value: unknown) => void): void;
  view(row: RecordRow): View;
}

// biome-ignore lint/suspicious/noExplicitAny: any area's list
export type AnyList = RecordList<any, any>;

export interface Statement {
  sql: string;
  bindings: readonly unknown[];
}

/** One record by id. */
export function oneStatement(list: AnyList, tenantId: number, id: string): Statement {
  return native(base(list, tenantId).where('r.id', id));
}

/**
 * A page, with one row more than it holds to tell whether another follows. The position comes with it in one statement:
 * asked for apart, it could be ahead of the rows.
 */
export function pageStatement(list: AnyList, tenant: TenantRef, query: ListQuery): Statement {
  const { pageIndex = 0, pageSize = 50 } = query;
  const statement = filtered(list, tenant.id, query)
    .select(
      knex.raw("r.changed_epoch || '.' || r.changed_transaction_id || '.' || r.changed_position as changed"),
    )
    .limit(pageSize + 1)
    .offset(pageIndex * pageSize);
  if (query.changedAfter !== undefined) {
    statement.orderByRaw('r.changed_epoch, r.changed_transaction_id, r.changed_position');
  } else {
    const sort = query.sort ?? list.order;
    const direction = sort.startsWith('-') ? 'desc' : 'asc';
    statement.orderByRaw(`${list.sorts[sort.replace(/^-/, '')]} ${direction}, r.id ${direction}`);
  }
  const position = knex.raw(`(select ${reached(list.projection, ':id', ':partition')} as reached) at`, {
    id: tenant.id,
    partition: tenant.partition,
  });
  return native(knex.select('*').from(position).leftJoin(statement.as('page'), knex.raw('true')));
}

export function countStatement(list: AnyList, tenantId: number, query: ListQuery): Statement {
  return native(filtered(list, tenantId, query).clearSelect().count('* as count'));
}

function base(list: AnyList, tenantId: number): Knex.QueryBuilder {
  const query = knex
    .select(
      'r.id',
      'r.version',
      'r.is_deleted',
      'r.created_on',
      'r.created_by',
      'r.updated_on',
      'r.updated_by',
      'r.state',
    )
    .from(`read_model.${list.table} as r`)
    .whereRaw(scope(list.projection, 'r'), { tenantId });
  for (const { projection, table, alias, on, columns } of list.joins ?? []) {
    query.joinRaw(
      `left join read_model.${table} ${alias} on ${alias}.id = ${on} and ${scope(projection, alias)}`,
      { tenantId },
    );
    query.select(Object.entries(columns).map(([name, column]) => `${alias}.${column} as ${name}`));
  }
  return query;
}

function scope(projection: string, alias: string): string {
  return live(projection, alias, ':tenantId');
}

function filtered(list: AnyList, tenantId: number, query: ListQuery): Knex.QueryBuilder {
  const statement = base(list, tenantId);
  const { changedAfter, includeDeleted, updatedSince, ids, keywords } = query;
  if (changedAfter !== undefined) {
    const { epoch, transactionId, position } = changedAfter === SYNC_START ? START : fromToken(changedAfter);
    statement.whereRaw('(r.changed_epoch, r.changed_transaction_id, r.changed_position) > (?, ?::xid8, ?)', [
      epoch,
      transactionId.toString(),
      position.toString(),
    ]);
  } else if (!includeDeleted) {
    statement.where('r.is_deleted', false);
  }
  if (updatedSince !== undefined) statement.where('r.updated_on', '>=', new Date(updatedSince));
  if (ids !== undefined)
    statement.whereRaw('r.id = any(?::uuid[])', [ids.map((id) => id.slice(id.indexOf('_') + 1))]);
  // Every word must begin one of the record's words, its own or those of a record that it shows.
  for (const word of wordsOf(keywords ?? '')) {
    statement.where((any) => {
      for (const alias of list.searched ?? ['r'])
        any.orWhereRaw(`${alias}.search @@ to_tsquery('simple', ?)`, [`${word}:*`]);
    });
  }
  list.filter?.(query, (column, operator, value) => statement.where(column, operator, value as Knex.Value));
  return statement;
}

function native(query: Knex.QueryBuilder): Statement {
  const { sql, bindings } = query.toSQL().toNative();
  return { sql, bindings };
}
