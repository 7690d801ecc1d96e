import type { QueryConfig } from 'pg';
import { live } from '#projections/live';
import { aliasOf, lateral, lookedUp } from './list-rows';
import type { AnyList, Join, Oldest } from './record-list';
import { tableOf } from './state-table';

/**
 * Statements about records whose ids are known. They are named, so that each connection plans them once: look-ups by key have
 * the same plan for every tenant, and planning the thirteen look-ups of matters takes longer than executing them.
 */

/** The record's own columns of a RecordRow. */
export const OWN = [
  'id',
  'version',
  'is_deleted',
  'created_on',
  'created_by',
  'updated_on',
  'updated_by',
  'state',
].map((column) => `r.${column}`);

/** The columns by which the records that a record shows are looked up: its id, and the ids to which it refers. */
export function leadsOf({ joins = [] }: AnyList): string[] {
  return [...new Set(['r.id', ...joins.map(({ on }) => on).filter((on) => aliasOf(on) === 'r')])];
}

/** Whether records show anything of others. */
export function showsOthers({ joins, oldest }: AnyList): boolean {
  return joins !== undefined || oldest !== undefined;
}

/** A statement for what rows show of other records; undefined when they show nothing of others. */
export function besideStatement(
  list: AnyList,
  tenantId: number,
  rows: readonly object[],
): QueryConfig | undefined {
  if (rows.length === 0 || !showsOthers(list)) return undefined;
  const leads = leadsOf(list).map((lead) => lead.slice(lead.indexOf('.') + 1));
  // JSON, for which the planner always assumes a hundred rows. For an array it would look at the length, and plan anew for
  // short ones.
  const known = `json_to_recordset($2::json) as r(${leads.map((lead) => `${lead} uuid`).join(', ')})`;
  return {
    name: `beside.${list.kind}`,
    text: shown(list, known, ['r.id']),
    values: [tenantId, JSON.stringify(rows, leads)],
  };
}

export function oneStatement(list: AnyList, tenantId: number, id: string): QueryConfig {
  return { name: `record.${list.kind}`, text: recordsText(list, '$2'), values: [tenantId, id] };
}

/**
 * SQL for records of the tenant $1, as RecordRows.
 * @param id the expression that their UUIDs equal: `$2` or `any($2::uuid[])`
 */
export function recordsText(list: AnyList, id: string): string {
  const records = shown(list, `read_model.${tableOf(list.projection)} r`, OWN);
  return `${records} where ${live(list.projection, 'r', '$1')} and r.id = ${id}`;
}

/** SQL: rows with the columns of all records that they show. */
function shown(list: AnyList, rows: string, own: readonly string[]): string {
  return `select ${[...own, ...shownColumns(list)].join(', ')} from ${rows} ${shownRecords(list, '$1').join(' ')}`;
}

export function shownColumns({ joins = [], oldest = [] }: AnyList): string[] {
  return [...joins, ...oldest].flatMap(({ alias, columns }: Join | Oldest) =>
    Object.entries(columns).map(([name, column]) => `${alias}.${column} as ${name}`),
  );
}

/**
 * SQL joins of all records that the rows `r` show. They are looked up one by one for each row: `offset 0` keeps the planner
 * from weighing every order of up to eleven joins.
 * @param tenant the placeholder that binds the tenant's number
 */
export function shownRecords({ joins = [], oldest = [] }: AnyList, tenant: string): string[] {
  return [
    ...joins.map((one) => {
      const { projection, alias, on } = one;
      return lateral(projection, alias, `${alias}.id = ${on}`, { tenant, columns: neededOf(one, joins) });
    }),
    ...oldest.map((one) => oldestOf(one, tenant)),
  ].map((lookup) => `left join ${lookup} on true`);
}

/** The columns of a joined record that are shown, or by which another record is joined. */
function neededOf({ alias, columns }: Join, joins: readonly Join[]): string[] {
  const leads = joins.map(({ on }) => on).filter((on) => aliasOf(on) === alias);
  return [...new Set([...Object.values(columns).map((name) => `${alias}.${name}`), ...leads])];
}

/** SQL: the oldest of the records that refer to the row. They are found first and then sorted, as the planner would otherwise go along all ids. */
function oldestOf({ projection, alias, refersBy, where, columns }: Oldest, tenant: string): string {
  const refer = `${alias}.${refersBy} = r.id and not ${alias}.is_deleted and ${where}`;
  const needed = [...new Set(['id', ...Object.values(columns)])];
  const found = lookedUp(projection, alias, refer, { tenant, columns: needed });
  return `lateral (select * from ${found} order by id limit 1) ${alias}`;
}
