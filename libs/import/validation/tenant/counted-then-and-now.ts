import type { ClientBase } from 'pg';
import { toUuid } from '#kernel/ids';
import type { TenantRef } from '#platform/request-context';
import type { RecordIds } from '../../records/record-id';
import { checkedTable } from '../checked-names';
import { valuesOf } from './lookup-tables';
import { idText } from './named-by-id';

/** SQL: work items on the tenant's own matters, or on matters of its own clients, that are in `changed_own`. */
const ON_MATTERS = `
  select t.import_id from work_items t join changed_own o on o.id = t.matter_id
  union
  select t.import_id from work_items t
  join matters m on m.import_id = t.matter_id join changed_own o on o.id = m.client_id`;

/** SQL: rows that name one of the tenant's own task types or disbursement codes that are in `changed_own`. */
const ofChangedOwn = (table: string, column: string) =>
  `select t.import_id from ${table} t join changed_own o on o.id = t.${column}`;
const OF_TASK_TYPES = ofChangedOwn('work_items', 'task_type_id');
const OF_CODES = ofChangedOwn('cost_recoveries', 'disbursement_code_id');

/**
 * SQL: all invoices. Their default tax code may be another now. It decides how lines without a code are taxed, and
 * whether an invoice is recorded as using the default, which it also is when a line names that code.
 */
const INVOICES = 'select import_id from invoices';

/**
 * SQL: costs that may have been billed while their code had another tax code. What was charged for them stays as it is.
 */
const BILLED_OTHERWISE = `
  select c.import_id from cost_recoveries c
  join disbursement_codes d on d.import_id = c.disbursement_code_id
  join record_ids r on r.table_name = 'DisbursementCode' and r.import_id = d.import_id
  left join record_ids t on t.table_name = 'TaxCode' and t.import_id = d.tax_code_id
  where c.state = 'Billed' and exists (
    select from event_store.events e
    where e.tenant_id = (select tenant_id from settings) and e.stream_id = r.id
      and e.data ->> 'taxCodeId' <> coalesce(${idText("'taxcode'", 't.id')}, d.tax_code_id))`;

/** SQL: all work, if the tenant's setting for the length of a unit has changed since the first import. */
function countedOtherwise({ streamId }: TenantRef): string {
  const happened = (type: string) => `event_store.events
    where tenant_id = (select tenant_id from settings) and stream_id = '${streamId}' and type = '${type}'`;
  return `select w.import_id from work_items w where exists (
    select from ${happened('TenantSettingsChanged')} and data ? 'minutesPerUnit'
      and version > (select min(version) from ${happened('ImportPromoted')}))`;
}

/** How a column of `counted_by` gets its value from events: SQL, and the rows for which it does so (absent: all). */
interface Taken {
  column: string;
  value: string;
  by?: string;
}

const TAKEN: Record<string, readonly Taken[]> = {
  WorkItem: [
    { column: 'minutes_per_unit', value: "e.data ->> 'minutesPerUnit'" },
    {
      column: 'called',
      // An empty title is stored as '', since null would mean that no event says anything.
      value: "case when e.data ? 'title' then coalesce(e.data ->> 'title', '') end",
      by: OF_TASK_TYPES,
    },
  ],
  Invoice: [
    { column: 'tax_code', value: "e.data ->> 'defaultTaxCodeId'" },
    {
      column: 'names_codes',
      value: "case when e.data ? 'defaultTaxCodeId' then e.data ->> 'defaultTaxCodeId' is null end",
    },
  ],
  CostRecovery: [
    { column: 'tax_code', value: "e.data ->> 'taxCodeId'" },
    { column: 'called', value: "e.data ->> 'description'", by: OF_CODES },
  ],
};

/** SQL: the last value that a record's events stated, up to the import that brought the record. */
function lastSaid({ column, value, by }: Taken): string {
  return `left join lateral (
    select ${value} as value from event_store.events e
    where e.tenant_id = r.tenant_id and e.stream_id = r.record_id and e.version <= r.version
      and ${value} is not null ${by ? `and exists (${by} where t.import_id = k.import_id)` : ''}
    order by e.version desc limit 1
  ) ${column}_then on true`;
}

/**
 * Fills `counted_by` for work, invoices and costs of earlier imports with the unit length, tax code and name that they
 * had then. It covers records on edited matters, and those that would be counted, taxed or named differently now.
 */
export async function countAsThen(session: ClientBase, tenant: TenantRef, ids: RecordIds): Promise<void> {
  for (const [table, ...others] of [
    ['WorkItem', countedOtherwise(tenant), ON_MATTERS, OF_TASK_TYPES],
    ['Invoice', INVOICES],
    ['CostRecovery', BILLED_OTHERWISE, OF_CODES],
  ])
    await session.query(
      `insert into counted_by (table_name, import_id)
       select '${table}', t.import_id from (
         select t.import_id from ${checkedTable(table)} t
         join edited m on m.table_name = 'Matter' and m.import_id = t.matter_id
         union ${others.join(' union ')}
       ) t where t.import_id is not null`,
    );
  await session.query('analyze counted_by');
  for (const [table, taken] of Object.entries(TAKEN)) {
    const counted = `(select import_id from counted_by where table_name = '${table}') n`;
    for await (const keys of valuesOf(session, counted, 'import_id'))
      await session.query(
        `update counted_by n set ${taken.map(({ column }) => `${column} = ${column}_then.value`).join(', ')}
         from unnest($2::text[], $3::uuid[]) k(import_id, id)
         join import.records r on r.tenant_id = (select tenant_id from settings) and r.record_id = k.id
         ${taken.map(lastSaid).join(' ')}
         where n.table_name = $1 and n.import_id = k.import_id`,
        [table, keys, keys.map((key) => toUuid(ids.of(table, key)))],
      );
  }
}

/** Fills `counted_by` for work and invoices that use the current values of an edited matter or its client. */
export async function countAsNow(session: ClientBase): Promise<void> {
  const matters = `
    select e.id as key from edited e where e.table_name = 'Matter'
    union
    select m.import_id from matters m join edited e on e.table_name = 'Client' and e.id = m.client_id`;
  for (const [table, column] of [
    ['WorkItem', 'minutes_per_unit'],
    ['Invoice', 'tax_code'],
  ])
    await session.query(
      `insert into counted_by (table_name, import_id, ${column})
       select distinct on (t.import_id) '${table}', t.import_id, m.${column}::text
       from ${checkedTable(table)} t
       join (${matters}) e on e.key = t.matter_id
       join all_matters m on m.key = t.matter_id
       where t.import_id is not null and m.${column} is not null
       on conflict (table_name, import_id) do update set ${column} = coalesce(counted_by.${column}, excluded.${column})`,
    );
  await session.query(
    'delete from counted_by where coalesce(minutes_per_unit, tax_code, called, names_codes::text) is null',
  );
  await session.query('analyze counted_by');
}
