import type { ReadDatabase } from '#platform/database';
import type { ListQuery } from '#platform/http/input/list-query';
import type { RequestContext } from '#platform/request-context';
import { type EntitiesQuery, entities } from '../entities/entity.queries';
import { ListEntities, ListEntitiesHandler } from '../entities/entity.role-queries';
import { aliasOf, knex } from '../records/list-rows';
import type { AnyList } from '../records/record-list';
import type { ListRecords, ListRecordsHandler } from '../records/records.queries';
import { tableOf } from '../records/state-table';
import { wordsOf } from '../records/words';

/** The list that answers a query. For entities with a role, it is a list made for that role. */
export async function listFor(
  reads: ReadDatabase,
  context: RequestContext,
  list: AnyList,
  query: ListQuery,
): Promise<AnyList> {
  if (list !== entities || !('roleId' in query)) return list;
  let asked: AnyList | undefined;
  const records = {
    execute: async (question: ListRecords) => {
      asked = question.list;
    },
  };
  const handler = new ListEntitiesHandler(reads, records as unknown as ListRecordsHandler);
  await handler.execute(new ListEntities(context, query as EntitiesQuery));
  return asked!;
}

/**
 * The UUIDs of all records that match a query, in order, selected by the simplest statement that defines the list.
 * @param list the result of `listFor`; only generation 1 is read
 */
export async function plainList(
  reads: ReadDatabase,
  { tenant }: RequestContext,
  list: AnyList,
  query: Omit<ListQuery, 'changedAfter'> & { changedAfter?: bigint },
): Promise<string[]> {
  const rows = knex.from(`read_model.${tableOf(list.projection)} as r`).where('r.tenant_id', tenant.id);
  rows.select('r.id');
  for (const { projection, alias, on } of list.joins ?? [])
    rows.joinRaw(
      `left join read_model.${tableOf(projection)} ${alias} on ${alias}.id = ${on} and ${alias}.tenant_id = r.tenant_id`,
    );
  if (query.changedAfter === undefined && !query.includeDeleted) rows.whereRaw('not r.is_deleted');
  if (query.changedAfter !== undefined) rows.where('r.changed_position', '>', query.changedAfter.toString());
  if (query.updatedSince) rows.where('r.updated_on', '>=', query.updatedSince);
  for (const word of wordsOf(query.keywords ?? '')) {
    const searched = (list.searched ?? ['r']).map((alias) => `${alias}.search @@ :word::tsquery`);
    rows.whereRaw(`(${searched.join(' or ')})`, { word: `'${word}':*` });
  }
  list.filter?.(query, (column, operator, value) => rows.where(column, operator, value as string));
  const sort = query.changedAfter === undefined ? (query.sort ?? list.order) : '';
  const column = list.sorts[sort.replace(/^-/, '')] ?? 'r.changed_position';
  const direction = sort.startsWith('-') ? 'desc' : 'asc';
  const last = aliasOf(column) === 'r' ? '' : 'nulls last';
  const { sql, bindings } = rows
    .orderByRaw(`${column} ${direction} ${last}, r.id ${direction}`)
    .toSQL()
    .toNative();
  const found = await reads.pool.query<{ id: string }>(sql, [...bindings]);
  return found.rows.map(({ id }) => id);
}
