import type { ClientBase } from 'pg';
import { toUuid } from '#kernel/ids';
import type { TenantRef } from '#platform/request-context';
import type { RecordIds } from '../records/record-id';
import { checkedTable } from './checked-names';

const BATCH = 5_000;

/** Invoices with lines that leave their tax code open: another may be the tenant's Standard one since. */
const TAXED_OTHERWISE = `
  select l.invoice_id from invoice_lines l
  where l.tax_code_id is null and l.cost_recovery_id is null and l.kind <> 'Text'`;

/** Costs that may have been billed while their code had another tax code: what was charged for them stays as it is. */
const BILLED_OTHERWISE = `
  select c.import_id from cost_recoveries c
  join disbursement_codes d on d.import_id = c.disbursement_code_id
  join record_ids r on r.table_name = 'DisbursementCode' and r.import_id = d.import_id
  left join record_ids t on t.table_name = 'TaxCode' and t.import_id = d.tax_code_id
  where c.state = 'Billed' and exists (
    select from event_store.events e
    where e.tenant_id = (select tenant_id from settings) and e.stream_id = r.id
      and e.data ->> 'taxCodeId' <> coalesce('taxcode_' || replace(t.id::text, '-', ''), d.tax_code_id))`;

/** SQL: work of a tenant that has come to count in other units since the first import. */
function countedOtherwise({ streamId }: TenantRef): string {
  const happened = (type: string) => `event_store.events
    where tenant_id = (select tenant_id from settings) and stream_id = '${streamId}' and type = '${type}'`;
  return `select w.import_id from work_items w where exists (
    select from ${happened('TenantSettingsChanged')} and data ? 'minutesPerUnit'
      and version > (select min(version) from ${happened('ImportPromoted')}))`;
}

/**
 * Work, invoices and billed costs that were brought before, as they were counted and taxed then: those on edited matters,
 * and those that may be counted or taxed otherwise now.
 */
export async function countAsThen(session: ClientBase, tenant: TenantRef, ids: RecordIds): Promise<void> {
  for (const [table, others] of [
    ['WorkItem', countedOtherwise(tenant)],
    ['Invoice', TAXED_OTHERWISE],
    ['CostRecovery', BILLED_OTHERWISE],
  ])
    await session.query(
      `insert into counted_by (table_name, import_id)
       select '${table}', t.import_id from (
         select t.import_id from ${checkedTable(table)} t
         join edited m on m.table_name = 'Matter' and m.import_id = t.matter_id
         union ${others}
       ) t where t.import_id is not null`,
    );
  await session.query('analyze counted_by');
  const field = { WorkItem: 'minutesPerUnit', Invoice: 'defaultTaxCodeId', CostRecovery: 'taxCodeId' };
  for (const [table, name] of Object.entries(field)) {
    const column = table === 'WorkItem' ? 'minutes_per_unit' : 'tax_code';
    for (let after = ''; ; ) {
      const { rows } = await session.query<{ import_id: string }>(
        `select import_id from counted_by where table_name = $1 and import_id > $2 order by import_id limit ${BATCH}`,
        [table, after],
      );
      if (rows.length === 0) break;
      const keys = rows.map(({ import_id }) => import_id);
      after = keys[keys.length - 1];
      await session.query(
        `update counted_by n set ${column} = e.value
         from unnest($2::text[], $3::uuid[]) k(import_id, id)
         join import.records r on r.tenant_id = (select tenant_id from settings) and r.record_id = k.id
         cross join lateral (
           select e.data ->> '${name}' as value from event_store.events e
           where e.tenant_id = r.tenant_id and e.stream_id = r.record_id and e.version <= r.version
             and e.data ->> '${name}' is not null
           order by e.version desc limit 1
         ) e
         where n.table_name = $1 and n.import_id = k.import_id`,
        [table, keys, keys.map((key) => toUuid(ids.of(table, key)))],
      );
    }
  }
}

/** Work and invoices that are counted by what an edited matter, or its client, has now. */
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
  await session.query('delete from counted_by where coalesce(minutes_per_unit, tax_code) is null');
  await session.query('analyze counted_by');
}
