import type { ClientBase } from 'pg';
import { toUuid } from '#kernel/ids';
import { minorUnits } from '#kernel/money';
import { dayIn } from '#kernel/zone';
import type { RegisteredTenant } from '#platform/auth/tenants';
import { roleName } from '#practice/roles/role';
import type { TenantState } from '#practice/tenants/tenant.lookup';
import { RecordIds } from '../../records/record-id';
import { tables } from '../../schema/schema-1.0';
import { checkedTable } from '../checked-names';
import { makeEmptyTable, makeTable } from '../working-tables';
import { idText, referencesByIds, updateReferences, uuidIn } from './named-by-id';

/** Makes `settings`: one row with what rules need to know of the tenant. */
export async function makeSettings(
  session: ClientBase,
  tenant: RegisteredTenant,
  settings: TenantState,
  sourceSystems: readonly string[],
  now: Date,
): Promise<void> {
  const { currency, timeZone, taxScheme, minutesPerUnit } = settings;
  await makeEmptyTable(
    session,
    'settings',
    `tenant_id integer, currency text, digits integer, time_zone text, tax_scheme text, minutes_per_unit numeric,
     today date, cutover date, promoted_systems text[]`,
  );
  await session.query(
    `insert into settings
     select $1, $2, $3, $4, $5, $6, $7, (select min(cutover_date) from infos), $8`,
    [
      tenant.id,
      currency,
      minorUnits(currency),
      timeZone,
      taxScheme,
      minutesPerUnit,
      dayIn(timeZone, now),
      sourceSystems,
    ],
  );
  // PostgreSQL would assume 400 rows rather than 1, and overestimate every join with the table as many times.
  await session.query('analyze settings');
}

export async function makeCurrencies(session: ClientBase): Promise<void> {
  await makeEmptyTable(session, 'currency_codes', 'code text');
  const codes = Intl.supportedValuesOf('currency');
  await session.query('insert into currency_codes select unnest($1::text[])', [codes]);
  await session.query('analyze currency_codes');
}

/** Tables with very many rows whose records have no natural key, and to which only parts of the import refer. */
const UNNAMED = new Set(['WorkItem', 'CostRecovery']);
const BATCH = 5_000;

/**
 * Makes `record_ids`: the ids of the records that rows become.
 * @returns these ids; undefined if Info names no source system, so that there are none
 */
export async function makeRecordIds(
  session: ClientBase,
  tenant: RegisteredTenant,
): Promise<RecordIds | undefined> {
  await makeEmptyTable(
    session,
    'record_ids',
    'table_name text, import_id text, id uuid, primary key (table_name, import_id)',
  );
  const { rows } = await session.query<{ system: string | null }>(
    'select min(source_system) as system from infos',
  );
  const [{ system }] = rows;
  if (system === null) return undefined;
  const ids = new RecordIds(tenant.streamId, system);
  for (const { name, kind } of tables) if (kind && !UNNAMED.has(name)) await idsOf(session, name, ids);
  await session.query('analyze record_ids');
  return ids;
}

async function idsOf(session: ClientBase, table: string, ids: RecordIds): Promise<void> {
  for await (const keys of valuesOf(session, checkedTable(table), 'import_id'))
    await session.query('insert into record_ids select $1, * from unnest($2::text[], $3::uuid[])', [
      table,
      keys,
      keys.map((key) => toUuid(ids.of(table, key))),
    ]);
}

/**
 * Makes `role_keys`: the natural keys of the rows' role names. Computed here, as PostgreSQL treats blanks and lower
 * case otherwise than the commands.
 */
export async function makeRoleKeys(session: ClientBase): Promise<void> {
  await makeEmptyTable(session, 'role_keys', 'name text primary key, key text');
  for await (const names of valuesOf(session, checkedTable('Role'), 'name'))
    await session.query('insert into role_keys select * from unnest($1::text[], $2::text[])', [
      names,
      names.map((name) => roleName(name).key),
    ]);
  await session.query('analyze role_keys');
}

/** The distinct values of a column of a table or subquery, in batches. */
export async function* valuesOf(
  session: ClientBase,
  table: string,
  column: string,
): AsyncGenerator<string[]> {
  for (let after = ''; ; ) {
    const { rows } = await session.query<{ value: string }>(
      `select distinct ${column} as value from ${table} where ${column} > $1 order by 1 limit ${BATCH}`,
      [after],
    );
    if (rows.length === 0) return;
    const values = rows.map(({ value }) => value);
    after = values[values.length - 1];
    yield values;
  }
}

/**
 * Makes `existing`, with folded states: the tenant's records to which rows refer, the clients and tax codes of these
 * records, and the Standard tax codes. Deleted records are left out.
 */
export async function makeExisting(session: ClientBase): Promise<void> {
  await makeTable(session, 'named', `select distinct id from (${referencesByIds()}) r`);
  await makeTable(
    session,
    'existing',
    `with recursive wanted as (
       select ${uuidIn('id')} as stream_id, split_part(id, '_', 1) as kind from (
         select id from named union select tax_code from counted_by where tax_code is not null
       ) n
       union
       select l.stream_id, l.kind
       from wanted w
       join event_store.streams o on o.tenant_id = (select tenant_id from settings)
         and o.stream_id = w.stream_id and o.kind = w.kind and w.kind in ('matter', 'client', 'disbursementcode')
       cross join lateral (
         values (o.state -> 'data' ->> 'clientId', 'client'), (o.state -> 'data' ->> 'taxCodeId', 'taxcode')
       ) v(id, kind)
       cross join lateral (select ${uuidIn('v.id')} as stream_id, v.kind) l
       where v.id is not null
     )
     select ${idText('s.kind', 's.stream_id')} as id, s.kind, s.stream_id, (s.state -> 'data')::jsonb as data
     from event_store.streams s
     where s.tenant_id = (select tenant_id from settings)
       and (s.stream_id, s.kind) in (
         select stream_id, kind from wanted
         union
         select source, 'taxcode' from event_store.links
         where tenant_id = (select tenant_id from settings) and kind = 'standard_taxcode')
       and not coalesce((s.state -> 'data' ->> 'isDeleted')::boolean, false)`,
  );
  await session.query('create unique index on existing (id)');
}

/**
 * Replaces references by record id with row keys in the checked copies, if the record is one that an earlier import
 * brought and that is a row of this one. Rules then need not know that both names mean the same record.
 */
export async function nameByKeys(session: ClientBase): Promise<void> {
  const ofTables = tables.flatMap(({ name, kind }) => (kind ? [`('${name}', '${kind}')`] : []));
  await makeTable(
    session,
    'own_names',
    `select distinct v.id, r.table_name, r.import_id from (${referencesByIds()}) v
     join (
       select ${idText('k.kind', 'r.id')} as id, r.table_name, r.import_id
       from record_ids r join (values ${ofTables.join(', ')}) k(table_name, kind) using (table_name)
     ) r on r.id = v.id`,
  );
  await updateReferences(
    session,
    'own_names',
    ({ table, cell, to }) =>
      `update ${checkedTable(table)} t set ${cell} = n.import_id from own_names n
       where n.id = t.${cell} and n.table_name in (${to})`,
  );
}
