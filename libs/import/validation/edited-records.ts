import type { ClientBase } from 'pg';
import { toUuid } from '#kernel/ids';
import type { TenantRef } from '#platform/request-context';
import type { ImportRun } from '../import-run';
import type { Comparison } from '../promotion/comparison';
import { openCountedBy } from '../records/counted-by';
import { RecordIds } from '../records/record-id';
import { tables } from '../schema/schema-1.0';
import type { StagingArea } from '../staging/staging-area';
import { checkedColumn, checkedTable } from './checked-names';
import { makeEmptyTable, makeTable } from './working-tables';

/** References by which a row is a part of the other, or changes it: the other is a row, too. */
export const OF_ROWS = new Set([
  'TaxRate.TaxCodeId',
  'RateSetEntry.RateSetId',
  'InvoiceLine.InvoiceId',
  'InvoiceLine.WorkItemId',
  'InvoiceLine.CostRecoveryId',
  'Payment.InvoiceId',
]);

/** Tables whose rows are equal as the record is of which they are a part: it, and the column that names it. */
const WHOLES: Record<string, readonly [table: string, column: string]> = {
  TaxRate: ['TaxCode', 'TaxCodeId'],
  RateSetEntry: ['RateSet', 'RateSetId'],
  InvoiceLine: ['Invoice', 'InvoiceId'],
  Payment: ['Invoice', 'InvoiceId'],
};

/** What rows can refer to; and the rates that hinder others. */
const COMPARED = [
  ...new Set(tables.flatMap(({ columns }) => columns.flatMap(({ refersTo }) => refersTo ?? []))),
]
  .filter((table) => !['WorkItem', 'CostRecovery', 'Invoice'].includes(table))
  .concat('ApplicableRate');

/** What costs and lines take of these they take of the rows: references to them are by id only where they are wrong. */
const IS_TAKEN = `case e.table_name when 'TaxCode' then e.is_deleted
  when 'DisbursementCode' then e.is_deleted or e.is_inactive else true end`;

const BATCH = 5_000;

/**
 * What production has made of the records that imports before have brought:
 * - `unchanged`: rows that are equal to what was brought. They make no event, whatever their records are now.
 * - `edited`: those of them whose records production has changed or deleted since, and matters of such clients. New and
 *   changed rows that refer to one refer, in the checked copies, to the record by its id, so that every rule finds what
 *   it finds of other records of the tenant.
 * - `hindrances`: changed rows that cannot arrive.
 * - `counted_by`, of those that were brought.
 * @returns see Comparison.compare
 */
export async function makeEdited(
  session: ClientBase,
  run: ImportRun,
  comparison: Comparison,
): Promise<unknown> {
  await makeEmptyTable(
    session,
    'unchanged',
    'table_name text, import_id text, primary key (table_name, import_id)',
  );
  await makeEmptyTable(session, 'hindrances', 'code text, table_name text, import_id text, message text');
  await openCountedBy(session, run.staging);
  await session.query('delete from counted_by');
  const { rows } = await session.query<{ source_system: string | null }>(
    'select source_system from settings',
  );
  const sourceSystem = rows[0].source_system;
  const isCompared = sourceSystem !== null && (await comparison.any(run.tenant));
  await makeTable(session, 'edited', isCompared ? editedRecords : `${editedRecords} limit 0`);
  await session.query('create unique index on edited (table_name, import_id)');
  // Whoever was erased is so in what is loaded after a crash.
  await session.query('alter table edited set logged');
  if (!isCompared) return undefined;
  await addMatters(session);
  await countAsThen(session, run.tenant, new RecordIds(run.tenant.streamId, sourceSystem));
  const fault = await compare(session, run, comparison);
  await session.query(
    `delete from edited e where not exists (
       select from unchanged u where u.table_name = e.table_name and u.import_id = e.import_id)`,
  );
  await referByIds(session);
  return fault;
}

const editedRecords = `
  select r.table_name, r.import_id, s.stream_id, s.kind || '_' || replace(s.stream_id::text, '-', '') as id,
    coalesce((s.state -> 'data' ->> 'isDeleted')::boolean, false) as is_deleted,
    s.state -> 'data' ->> 'state' is distinct from '1' as is_inactive,
    s.state -> 'data' ->> 'anonymisedOn' is not null as is_erased
  from record_ids r
  join import.records i on i.tenant_id = (select tenant_id from settings) and i.record_id = r.id
  join event_store.streams s on s.tenant_id = i.tenant_id and s.stream_id = r.id
  where r.table_name in (${COMPARED.map((table) => `'${table}'`).join(', ')}) and s.version <> i.version`;

/** What is done on a matter is counted and taxed as its client has it. */
async function addMatters(session: ClientBase): Promise<void> {
  await session.query(
    `insert into edited
     select r.table_name, r.import_id, r.id, 'matter_' || replace(r.id::text, '-', ''), false, false, false
     from edited c
     join matters m on m.client_id = c.import_id
     join record_ids r on r.table_name = 'Matter' and r.import_id = m.import_id
     join import.records i on i.tenant_id = (select tenant_id from settings) and i.record_id = r.id
     where c.table_name = 'Client'
     on conflict do nothing`,
  );
  await session.query('analyze edited');
}

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
async function countAsThen(session: ClientBase, tenant: TenantRef, ids: RecordIds): Promise<void> {
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

async function compare(session: ClientBase, run: ImportRun, comparison: Comparison): Promise<unknown> {
  const fault = await comparison.compare(run, async ({ equal, hindrances }) => {
    await session.query(
      'insert into unchanged select * from unnest($1::text[], $2::text[]) on conflict do nothing',
      [equal.map(({ table }) => table), equal.map(({ importId }) => importId)],
    );
    if (hindrances.length === 0) return;
    await session.query(
      'insert into hindrances select * from unnest($1::text[], $2::text[], $3::text[], $4::text[])',
      [
        hindrances.map(({ code }) => code),
        hindrances.map(({ table }) => table),
        hindrances.map(({ importId }) => importId),
        hindrances.map(({ message }) => message),
      ],
    );
  });
  await session.query('analyze unchanged');
  return fault;
}

async function referByIds(session: ClientBase): Promise<void> {
  const { rows } = await session.query<{ table: string }>('select distinct table_name as table from edited');
  const edited = new Set(rows.map(({ table }) => table));
  for (const { name, columns } of tables)
    for (const { name: column, refersTo = [] } of columns) {
      const to = refersTo.filter((table) => edited.has(table));
      if (to.length === 0 || OF_ROWS.has(`${name}.${column}`)) continue;
      const cell = checkedColumn(column);
      await session.query(
        `update ${checkedTable(name)} t set ${cell} = e.id from edited e
         where e.import_id = t.${cell} and e.table_name in (${to.map((table) => `'${table}'`).join(', ')})
           ${refersTo.length > 1 ? 'and e.table_name = t.scope' : ''}
           and ${IS_TAKEN} and not ${isUnchanged(name)}`,
      );
    }
  await session.query('analyze edited');
}

/** Those of the rows whose personal data production has erased; nobody where the rows were never checked. */
export async function erasedPeople(
  client: ClientBase,
  { schema }: StagingArea,
): Promise<ReadonlySet<string>> {
  const { rows: found } = await client.query<{ there: boolean }>(
    'select to_regclass($1) is not null as there',
    [`${schema}.edited`],
  );
  if (!found[0].there) return new Set();
  const { rows } = await client.query<{ id: string }>(
    `select id from ${schema}.edited where table_name = 'Entity' and is_erased`,
  );
  return new Set(rows.map(({ id }) => id));
}

/** SQL: the row of the table is as an import before has brought it. */
export function isUnchanged(table: string, alias = 't'): string {
  const [whole, column] = WHOLES[table] ?? [table, 'ImportId'];
  return `exists (select from unchanged u
    where u.table_name = '${whole}' and u.import_id = ${alias}.${checkedColumn(column)})`;
}

/** SQL: a reference to a row of the table, the same whether it is by the row's key or, of an edited one, by id. */
export function oneName(table: string, reference: string): string {
  return `coalesce((select e.id from edited e where e.table_name = '${table}' and e.import_id = ${reference}), ${reference})`;
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
