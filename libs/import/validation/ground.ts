import type { ClientBase } from 'pg';
import { toUuid } from '#kernel/ids';
import { minorUnits } from '#kernel/money';
import { dayIn } from '#kernel/zone';
import type { RegisteredTenant } from '#platform/auth/tenants';
import type { TenantState } from '#practice/tenants/tenant.lookup';
import { kindOfTable, RecordIds } from '../records/record-id';
import { tables } from '../schema/schema-1.0';
import { checkedColumn, checkedTable } from './checked-names';
import { makeEmptyTable, makeTable } from './working-tables';

/** What rules read of the tenant: one row, `settings`. */
export async function makeSettings(
  session: ClientBase,
  tenant: RegisteredTenant,
  settings: TenantState,
  now: Date,
): Promise<void> {
  const { currency, timeZone, taxScheme, minutesPerUnit } = settings;
  await makeEmptyTable(
    session,
    'settings',
    `tenant_id integer, currency text, digits integer, time_zone text, tax_scheme text, minutes_per_unit numeric,
     today date, cutover date, source_system text`,
  );
  await session.query(
    `insert into settings
     select $1, $2, $3, $4, $5, $6, $7,
       (select min(cutover_date) from infos), (select min(source_system) from infos)`,
    [
      ...[tenant.id, currency, minorUnits(currency), timeZone, taxScheme, minutesPerUnit],
      dayIn(timeZone, now),
    ],
  );
  // One row, of which PostgreSQL guesses 400: every plan that joins it would reckon with as many times too much.
  await session.query('analyze settings');
}

export async function makeCurrencies(session: ClientBase): Promise<void> {
  await makeEmptyTable(session, 'currency_codes', 'code text');
  const codes = Intl.supportedValuesOf('currency');
  await session.query('insert into currency_codes select unnest($1::text[])', [codes]);
  await session.query('analyze currency_codes');
}

/** Tables whose records have no natural key and are referred to by none but parts of the import: very many rows. */
const UNNAMED = new Set(['WorkItem', 'CostRecovery']);
const BATCH = 5_000;

/** The ids of the records that rows become: `record_ids`. */
export async function makeRecordIds(session: ClientBase, tenant: RegisteredTenant): Promise<void> {
  await makeEmptyTable(
    session,
    'record_ids',
    'table_name text, import_id text, id uuid, primary key (table_name, import_id)',
  );
  const { rows } = await session.query<{ source_system: string | null }>(
    'select source_system from settings',
  );
  const sourceSystem = rows[0].source_system;
  if (sourceSystem === null) return;
  const ids = new RecordIds(tenant.streamId, sourceSystem);
  for (const { name, kind } of tables) if (kind && !UNNAMED.has(name)) await idsOf(session, name, ids);
  await session.query('analyze record_ids');
}

async function idsOf(session: ClientBase, table: string, ids: RecordIds): Promise<void> {
  for (let after = ''; ; ) {
    const { rows } = await session.query<{ import_id: string }>(
      `select distinct import_id from ${checkedTable(table)} where import_id > $1 order by import_id limit ${BATCH}`,
      [after],
    );
    if (rows.length === 0) return;
    const keys = rows.map(({ import_id }) => import_id);
    after = keys[keys.length - 1];
    await session.query('insert into record_ids select $1, * from unnest($2::text[], $3::uuid[])', [
      table,
      keys,
      keys.map((key) => toUuid(ids.of(table, key))),
    ]);
  }
}

/** SQL: the reference is by the id of a record of the tenant. */
export function isExisting(reference: string): string {
  // The length costs next to nothing, and most keys are shorter.
  return `(length(${reference}) > 36 and ${reference} ~ '^(${kinds.join('|')})_[0-9a-f]{32}$')`;
}

const kinds = tables.flatMap(({ name, kind }) => (kind ? [kindOfTable(name)] : []));

/**
 * The records of the tenant that rows refer to, what those refer to in turn, and every tax code: `existing`, with their
 * folded state. Those that are deleted are not there.
 */
export async function makeExisting(session: ClientBase): Promise<void> {
  await makeTable(session, 'named', `select distinct id from (${referencesByIds()}) r`);
  await makeTable(
    session,
    'existing',
    `with recursive wanted as (
       select substr(id, strpos(id, '_') + 1)::uuid as stream_id, split_part(id, '_', 1) as kind from (
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
       cross join lateral (select substr(v.id, strpos(v.id, '_') + 1)::uuid as stream_id, v.kind) l
       where v.id is not null
     )
     select s.kind || '_' || replace(s.stream_id::text, '-', '') as id, s.kind, s.stream_id, (s.state -> 'data')::jsonb as data
     from event_store.streams s
     where s.tenant_id = (select tenant_id from settings)
       and ((s.stream_id, s.kind) in (select stream_id, kind from wanted)
         or s.stream_id in (
           select source from event_store.links
           where tenant_id = (select tenant_id from settings) and kind = 'standard_taxcode'))
       and not coalesce((s.state -> 'data' ->> 'isDeleted')::boolean, false)`,
  );
  await session.query('create unique index on existing (id)');
}

/** Each table is read once. */
function referencesByIds(): string {
  return tables
    .flatMap(({ name, columns }) => {
      const references = columns.filter(({ refersTo }) => refersTo);
      if (references.length === 0) return [];
      const cells = references.map((column) => `(t.${checkedColumn(column.name)})`).join(', ');
      return [
        `select v.id from ${checkedTable(name)} t cross join lateral (values ${cells}) v(id) where ${isExisting('v.id')}`,
      ];
    })
    .join(' union all ');
}
