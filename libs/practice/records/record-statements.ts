import type { QueryConfig } from 'pg';
import { live } from '#projections/live';
import { aliasOf, lateral, lookedUp } from './list-rows';
import type { AnyList, Join, Oldest } from './record-list';
import { tableOf } from './state-table';

/**
 * Statements about records whose ids are known. They have names, so that each connection plans them once: what is looked
 * up by its key is looked up so for every tenant, and to plan the thirteen lookups of matters anew took longer than they take.
 */

/** A record's own columns, as RecordRow has them. */
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

/** The columns of a record that lead to what it shows of others: its id, and the ids that it refers to. */
export function leadsOf({ joins = [] }: AnyList): string[] {
  return [...new Set(['r.id', ...joins.map(({ on }) => on).filter((on) => aliasOf(on) === 'r')])];
}

/** Whether records show anything of others. */
export function showsOthers({ joins, oldest }: AnyList): boolean {
  return joins !== undefined || oldest !== undefined;
}

/** @returns undefined when the records show nothing of others */
export function besideStatement(
  list: AnyList,
  tenantId: number,
  rows: readonly object[],
): QueryConfig | undefined {
  if (rows.length === 0 || !showsOthers(list)) return undefined;
  const leads = leadsOf(list).map((lead) => lead.slice(lead.indexOf('.') + 1));
  // JSON, which the planner takes for a hundred rows whatever it holds: of an array it would look at the length, and
  // plan anew for short ones.
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
 * Records of a tenant, $1, as RecordRow has them.
 * @param id what their UUIDs equal: `$2`, `any($2::uuid[])`
 */
export function recordsText(list: AnyList, id: string): string {
  const records = shown(list, `read_model.${tableOf(list.projection)} r`, OWN);
  return `${records} where ${live(list.projection, 'r', '$1')} and r.id = ${id}`;
}

/** Rows with the columns of all records that they show. */
function shown(list: AnyList, rows: string, own: readonly string[]): string {
  return `select ${[...own, ...shownColumns(list)].join(', ')} from ${rows} ${shownRecords(list, '$1').join(' ')}`;
}

export function shownColumns({ joins = [], oldest = [] }: AnyList): string[] {
  return [...joins, ...oldest].flatMap(({ alias, columns }: Join | Oldest) =>
    Object.entries(columns).map(([name, column]) => `${alias}.${column} as ${name}`),
  );
}

/**
 * Joins of all records that rows, as `r`, show. These are looked up one by one for the rows at hand: `offset 0` keeps the
 * planner from weighing every order of up to eleven joins.
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

/** The columns of a joined record that are shown, or lead to another one. */
function neededOf({ alias, columns }: Join, joins: readonly Join[]): string[] {
  const leads = joins.map(({ on }) => on).filter((on) => aliasOf(on) === alias);
  return [...new Set([...Object.values(columns).map((name) => `${alias}.${name}`), ...leads])];
}

/** Found by what they refer to, and only then ordered: for one row the planner would go along all ids in their order. */
function oldestOf({ projection, alias, refersBy, where, columns }: Oldest, tenant: string): string {
  const refer = `${alias}.${refersBy} = r.id and not ${alias}.is_deleted and ${where}`;
  const needed = [...new Set(['id', ...Object.values(columns)])];
  const found = lookedUp(projection, alias, refer, { tenant, columns: needed });
  return `lateral (select * from ${found} order by id limit 1) ${alias}`;
}
