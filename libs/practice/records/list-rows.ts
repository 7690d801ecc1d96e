import knexBuilder, { type Knex } from 'knex';
import { fromToken, START } from '#event-store/position';
import { type ListQuery, SYNC_START } from '#platform/http/input/list-query';
import { live } from '#projections/live';
import type { AnyList, Join } from './record-list';
import { tableOf } from './state-table';

/** How many of the latest records are looked at: finding a hundred rows with a rare value could take all records. */
const LATEST = 1000;

/** Builds SQL only; it has no connection. */
export const knex = knexBuilder({ client: 'pg' });

/** SQL: a tenant's rows of a read table under an alias, in the live generation. */
function table(projection: string, alias: string, tenant = ':tenantId'): string {
  return `read_model.${tableOf(projection)} ${alias} where ${live(projection, alias, tenant)}`;
}

/** SQL: all records of a tenant, as `r`. */
export function recordsOf(list: AnyList, tenantId: number): Knex.QueryBuilder {
  return knex
    .from(`read_model.${tableOf(list.projection)} as r`)
    .whereRaw(live(list.projection, 'r', ':tenantId'), { tenantId });
}

/** SQL: the rows that meet a query, apart from its keywords. */
export function rowsOf(list: AnyList, tenantId: number, query: ListQuery): Knex.QueryBuilder {
  return only(recordsOf(list, tenantId), list, query);
}

/** Like `rowsOf`, but only of the latest thousand records, the latest first. */
export function latestOf(list: AnyList, tenantId: number, query: ListQuery): Knex.QueryBuilder {
  const all = recordsOf(list, tenantId).select('r.*').orderBy('r.id', 'desc');
  const latest = all.limit(LATEST, { skipBinding: true }).as('r');
  return only(knex.from(latest), list, query).orderBy('r.id', 'desc');
}

function only(rows: Knex.QueryBuilder, list: AnyList, query: ListQuery): Knex.QueryBuilder {
  const { changedAfter, includeDeleted, updatedSince, ids } = query;
  if (changedAfter !== undefined) {
    const { epoch, transactionId, position } = changedAfter === SYNC_START ? START : fromToken(changedAfter);
    rows.whereRaw('(r.changed_epoch, r.changed_transaction_id, r.changed_position) > (?, ?::xid8, ?)', [
      epoch,
      transactionId.toString(),
      position.toString(),
    ]);
  } else if (!includeDeleted) {
    rows.whereRaw('not r.is_deleted');
  }
  if (updatedSince !== undefined) rows.where('r.updated_on', '>=', new Date(updatedSince));
  if (ids !== undefined)
    rows.whereRaw('r.id = any(?::uuid[])', [ids.map((id) => id.slice(id.indexOf('_') + 1))]);
  list.filter?.(query, (column, operator, value) => rows.where(column, operator, value as Knex.Value));
  return rows;
}

/** The joins that lead from the record to a joined one, which comes last; empty for the record itself. */
function pathTo(list: AnyList, alias: string): Join[] {
  const join = list.joins?.find((one) => one.alias === alias);
  return join ? [...pathTo(list, aliasOf(join.on)), join] : [];
}

/** The alias of a column. */
export function aliasOf(column: string): string {
  return column.slice(0, column.indexOf('.'));
}

/**
 * Joins other records to rows, together with the records in between.
 * @param needed aliases of records without which a row is left out
 * @param optional aliases of records that a row may lack
 * @param there alias of a record that is joined already, with the records in between
 */
export function join(
  rows: Knex.QueryBuilder,
  list: AnyList,
  tenantId: number,
  aliases: { needed?: readonly string[]; optional?: readonly string[]; there?: string },
): Knex.QueryBuilder {
  const there = new Set(aliases.there ? pathTo(list, aliases.there) : []);
  const needed = new Set((aliases.needed ?? []).flatMap((alias) => pathTo(list, alias)));
  const optional = new Set((aliases.optional ?? []).flatMap((alias) => pathTo(list, alias)));
  for (const one of new Set([...needed, ...optional])) {
    if (there.has(one)) continue;
    const { projection, alias, on } = one;
    rows.joinRaw(
      `${needed.has(one) ? 'join' : 'left join'} read_model.${tableOf(projection)} ${alias}
        on ${alias}.id = ${on} and ${live(projection, alias, ':tenantId')}`,
      { tenantId },
    );
  }
  return rows;
}

/** Looks up other records for each row, together with the records in between. A row may lack them. */
export function lookUp(
  rows: Knex.QueryBuilder,
  list: AnyList,
  tenantId: number,
  aliases: readonly string[],
): Knex.QueryBuilder {
  for (const { projection, alias, on } of new Set(aliases.flatMap((one) => pathTo(list, one)))) {
    rows.joinRaw(`left join ${lateral(projection, alias, `${alias}.id = ${on}`)} on true`, { tenantId });
  }
  return rows;
}

/** A condition on a record that rows show, under the given alias. */
interface Shown {
  alias: string;
  condition: string;
  bindings: Record<string, string>;
}

/**
 * SQL: the rows that meet a query and show a record that meets a condition, found from those records. `offset 0` keeps the
 * planner from reading whole tables as soon as there are a few hundred of them.
 */
export function rowsThatShow(
  list: AnyList,
  tenantId: number,
  query: ListQuery,
  other: Shown,
): Knex.QueryBuilder {
  const path = pathTo(list, other.alias);
  const from = ({ projection, alias }: Join, which: string) =>
    `select ${alias}.id from ${table(projection, alias)} and ${which}`;
  let ids = from(path[path.length - 1], other.condition);
  for (let step = path.length - 2; path[step]; step--)
    ids = from(path[step], `${path[step + 1].on} = any(array(${ids}))`);
  const rows = lookedUp(list.projection, 'r', `${path[0].on} = any(array(${ids}))`);
  return only(knex.from(knex.raw(rows, { tenantId, ...other.bindings })), list, query);
}

/** Like `rowsThatShow`, with the shown records and those in between beside each row. It takes half as long again. */
export function rowsWith(list: AnyList, tenantId: number, query: ListQuery, other: Shown): Knex.QueryBuilder {
  const path = pathTo(list, other.alias);
  const { projection, alias } = path[path.length - 1];
  const sources = [lookedUp(projection, alias, other.condition)];
  for (let step = path.length - 1; path[step]; step--) {
    const { on, alias: known } = path[step];
    const owner = step > 0 ? path[step - 1].projection : list.projection;
    sources.push(lateral(owner, aliasOf(on), `${on} = ${known}.id`));
  }
  return only(knex.from(knex.raw(sources.join(', '), { tenantId, ...other.bindings })), list, query);
}

/** Options of a look-up. */
interface LookUp {
  /** The placeholder that binds the tenant's number. */
  tenant?: string;
  /** The needed columns, for prepared statements: a stored plan holds every column of each of its tables. Default: all. */
  columns?: readonly string[];
}

/** SQL: the rows of a read table that meet a condition, looked up for each preceding row of the same FROM. */
export function lateral(projection: string, alias: string, condition: string, how?: LookUp): string {
  return `lateral ${lookedUp(projection, alias, condition, how)}`;
}

/** SQL: the rows of a read table that meet a condition; `offset 0` keeps the planner from finding them in another way. */
export function lookedUp(
  projection: string,
  alias: string,
  condition: string,
  { tenant, columns = ['*'] }: LookUp = {},
): string {
  return `(select ${columns.join(', ')} from ${table(projection, alias, tenant)} and ${condition} offset 0) ${alias}`;
}
