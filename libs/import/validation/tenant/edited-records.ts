import type { ClientBase } from 'pg';
import { alone } from '#platform/database/alone';
import type { Comparison } from '../../arrivals/comparison';
import type { ImportRun } from '../../import-run';
import { openCountedBy } from '../../records/counted-by';
import type { RecordIds } from '../../records/record-id';
import { tables } from '../../schema/schema-1.0';
import { checkedColumn, checkedTable } from '../checked-names';
import { makeEmptyTable, makeTable } from '../working-tables';
import { makeChangedOwn } from './changed-own';
import { countAsThen } from './counted-then-and-now';
import { idText, isExisting, updateReferences } from './named-by-id';

/**
 * Tables whose rows are parts of another table's record: that table, and the column that names it. Both change
 * together.
 */
const WHOLES: Record<string, readonly [table: string, column: string]> = {
  TaxRate: ['TaxCode', 'TaxCodeId'],
  RateSetEntry: ['RateSet', 'RateSetId'],
  InvoiceLine: ['Invoice', 'InvoiceId'],
  Payment: ['Invoice', 'InvoiceId'],
};

/**
 * Tables whose records are looked up for edits: those that rows can refer to, and rates, which can overlap with others.
 */
const COMPARED = [
  ...new Set(tables.flatMap(({ columns }) => columns.flatMap(({ refersTo }) => refersTo ?? []))),
]
  .filter((table) => !['WorkItem', 'CostRecovery', 'Invoice'].includes(table))
  .concat('ApplicableRate');

/**
 * SQL: references to the edited record `e` become references by id. Costs and lines use the rows of tax and
 * disbursement codes, so references to these do so only if the record was deleted or is inactive, which makes them
 * wrong.
 */
const IS_TAKEN = `case e.table_name when 'TaxCode' then e.is_deleted
  when 'DisbursementCode' then e.is_deleted or e.is_inactive else true end`;

/**
 * Makes the tables that tell what production has made of the records of earlier imports:
 * - `unchanged`: rows that equal what an earlier import brought. They make no event, whatever their records are now.
 * - `edited`: unchanged rows whose records production has changed or deleted since, and matters of such clients. In the
 *   checked copies, references of new and changed rows to one of them are to the record's id instead, so that every
 *   rule treats it as any other record of the tenant. Erased people are always included, as no row can state an
 *   erasure.
 * - `hindrances`: changed rows that cannot arrive.
 * - `changed_own`, and `counted_by` for the rows of earlier imports.
 * @returns see Comparison.compare
 */
export async function makeEdited(
  session: ClientBase,
  run: ImportRun,
  comparison: Comparison,
  ids: RecordIds | undefined,
): Promise<unknown> {
  await makeEmptyTable(
    session,
    'unchanged',
    'table_name text, import_id text, primary key (table_name, import_id)',
  );
  await makeEmptyTable(session, 'hindrances', 'code text, table_name text, import_id text, message text');
  await openCountedBy(session, run.staging);
  await session.query('delete from counted_by');
  const isCompared = ids !== undefined && (await comparison.any(run.tenant));
  await makeTable(session, 'edited', isCompared ? editedRecords : `${editedRecords} limit 0`);
  await session.query('create unique index on edited (table_name, import_id)');
  // Logged, so that a load after a crash still knows who was erased.
  await alone(session, 'alter table edited set logged');
  if (!isCompared) return undefined;
  await addMatters(session);
  await makeChangedOwn(session);
  await countAsThen(session, run.tenant, ids);
  const fault = await compare(session, run, comparison);
  await session.query(
    `delete from edited e where not (e.table_name = 'Entity' and e.is_erased) and not exists (
       select from unchanged u where u.table_name = e.table_name and u.import_id = e.import_id)`,
  );
  await referByIds(session);
  return fault;
}

const editedRecords = `
  select r.table_name, r.import_id, s.stream_id, ${idText('s.kind', 's.stream_id')} as id,
    coalesce((s.state -> 'data' ->> 'isDeleted')::boolean, false) as is_deleted,
    s.state -> 'data' ->> 'state' is distinct from '1' as is_inactive,
    s.state -> 'data' ->> 'anonymisedOn' is not null as is_erased
  from record_ids r
  join import.records i on i.tenant_id = (select tenant_id from settings) and i.record_id = r.id
  join event_store.streams s on s.tenant_id = i.tenant_id and s.stream_id = r.id
  where r.table_name in (${COMPARED.map((table) => `'${table}'`).join(', ')})
    and (s.version <> i.version or (s.kind = 'entity' and s.state -> 'data' ->> 'anonymisedOn' is not null))`;

/** Adds the matters of edited clients: work on a matter is counted and taxed by the settings of its client. */
async function addMatters(session: ClientBase): Promise<void> {
  await session.query(
    `insert into edited
     select r.table_name, r.import_id, r.id, ${idText("'matter'", 'r.id')}, false, false, false
     from edited c
     join matters m on m.client_id = c.import_id
     join record_ids r on r.table_name = 'Matter' and r.import_id = m.import_id
     join import.records i on i.tenant_id = (select tenant_id from settings) and i.record_id = r.id
     where c.table_name = 'Client'
     on conflict do nothing`,
  );
  await session.query('analyze edited');
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
  await updateReferences(
    session,
    'edited',
    ({ table, cell, to, hasScope }) =>
      `update ${checkedTable(table)} t set ${cell} = e.id from edited e
       where e.import_id = t.${cell} and e.table_name in (${to}) ${hasScope ? 'and e.table_name = t.scope' : ''}
         and ${IS_TAKEN} and not ${isUnchanged(table)}`,
  );
  await session.query('analyze edited');
}

/** SQL: the row of the table equals what an earlier import brought. */
export function isUnchanged(table: string, alias = 't'): string {
  const [whole, column] = WHOLES[table] ?? [table, 'ImportId'];
  return `exists (select from unchanged u
    where u.table_name = '${whole}' and u.import_id = ${alias}.${checkedColumn(column)})`;
}

/**
 * SQL: the row equals what an earlier import brought, and refers to a record of the tenant by id. No finding about that
 * record is reported for the row, whatever has become of the record.
 */
export function isSettled(table: string, reference: string): string {
  return `(${isExisting(reference)} and ${isUnchanged(table)})`;
}

/**
 * SQL: one name for a referenced row, whether the reference has the row's key or, if the row is edited, the record's
 * id.
 */
export function oneName(table: string, reference: string): string {
  return `coalesce((select e.id from edited e where e.table_name = '${table}' and e.import_id = ${reference}), ${reference})`;
}
