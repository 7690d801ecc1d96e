import type { ClientBase } from 'pg';
import type { StagingArea } from '../staging/staging-area';
import { withCountedBy } from './counted-by';
import { byKey } from './staging-rows';

/** All rows of a table by key. */
export function plainRows(staging: StagingArea, table: string): string {
  return `select t.* from ${staging.table(table)} t order by ${byKey('t')}`;
}

/** Matter types; those without a parent come first. */
export function matterTypeRows(staging: StagingArea): string {
  return `select t.* from ${staging.table('MatterType')} t order by t."ParentId" is not null, ${byKey('t')}`;
}

/** Tax codes with their `rates`, the oldest first. */
export function taxCodeRows(staging: StagingArea): string {
  return withParts(staging, 'TaxCode', {
    table: 'TaxRate',
    of: 'TaxCodeId',
    as: 'rates',
    order: `p."FromDate" collate "C", ${byKey('p')}`,
  });
}

/** Rate sets with their `entries`. */
export function rateSetRows(staging: StagingArea): string {
  return withParts(staging, 'RateSet', {
    table: 'RateSetEntry',
    of: 'RateSetId',
    as: 'entries',
    order: byKey('p'),
  });
}

interface Parts {
  table: string;
  /** The column of the part that refers to the whole. */
  of: string;
  as: string;
  order: string;
}

function withParts(staging: StagingArea, table: string, { table: parts, of, as, order }: Parts): string {
  return `
    select t.*, p."${as}" from ${staging.table(table)} t
    left join (
      select p."${of}" as whole, json_agg(p order by ${order}) as "${as}"
      from ${staging.table(parts)} p group by 1
    ) p on p.whole = t."ImportId"
    order by ${byKey('t')}`;
}

/** Work with the `MinutesPerUnit` by which it is counted and the name (`Called`), where counted_by has other values. */
function workRows(staging: StagingArea): string {
  const columns = { minutes_per_unit: 'MinutesPerUnit', called: 'Called' };
  return withCountedBy(staging, 'WorkItem', staging.table('WorkItem'), columns);
}

/** Costs with the `TaxCodeId` by which they are taxed and the name (`Called`), where counted_by has other values. */
function costRows(staging: StagingArea): string {
  const columns = { tax_code: 'TaxCodeId', called: 'Called' };
  return withCountedBy(staging, 'CostRecovery', staging.table('CostRecovery'), columns);
}

function invoicesWithCode(staging: StagingArea): string {
  const columns = { tax_code: 'DefaultTaxCodeId', names_codes: 'NamesCodes' };
  return withCountedBy(staging, 'Invoice', staging.table('Invoice'), columns);
}

/**
 * Invoices with their `lines`, each with the `item` or the `cost` that it charges, their `payments` by day, and the
 * `DefaultTaxCodeId` of lines that name none, where counted_by has another.
 */
export function invoiceRows(staging: StagingArea): string {
  return `
    select i.*, l.lines, p.payments from ${invoicesWithCode(staging)} i
    left join (
      select l."InvoiceId" as whole,
        json_agg(json_build_object('line', l, 'item', w, 'cost', c) order by ${byKey('l')}) as lines
      from ${staging.table('InvoiceLine')} l
      left join ${workRows(staging)} w on w."ImportId" = l."WorkItemId"
      left join ${costRows(staging)} c on c."ImportId" = l."CostRecoveryId"
      group by 1
    ) l on l.whole = i."ImportId"
    left join (
      select p."InvoiceId" as whole, json_agg(p order by p."Date" collate "C", ${byKey('p')}) as payments
      from ${staging.table('Payment')} p group by 1
    ) p on p.whole = i."ImportId"
    order by ${byKey('i')}`;
}

/** Work items or costs that no invoice charges, apart from voided invoices. */
export function unchargedRows(staging: StagingArea, table: 'WorkItem' | 'CostRecovery'): string {
  return `
    select t.* from ${table === 'WorkItem' ? workRows(staging) : costRows(staging)} t
    where not exists (
      select from ${staging.table('InvoiceLine')} l
      join ${staging.table('Invoice')} i on i."ImportId" = l."InvoiceId"
      where l."${table}Id" = t."ImportId" and i."State" <> 'Voided'
    )
    order by ${byKey('t')}`;
}

/** The largest number in a column that a counter could reach, as `last`; null when there is none. */
export function lastNumber(staging: StagingArea, table: string, column: string): string {
  return `select max(t."${column}"::bigint)::text as last from ${staging.table(table)} t
    where t."${column}" ~ '^[1-9][0-9]{0,14}$'`;
}

/** Whether one of the import's rate sets is to be the default. */
export async function bringsDefaultRates(client: ClientBase, staging: StagingArea): Promise<boolean> {
  const { rows } = await client.query<{ found: boolean }>(
    `select exists (select from ${staging.table('RateSet')} t where t."IsDefault" = '1') as found`,
  );
  return rows[0].found;
}

/** The ids of people among the rows whose personal data production has erased. */
export function erasedPeople(client: ClientBase, staging: StagingArea): Promise<ReadonlySet<string>> {
  return edited(client, staging, `table_name = 'Entity' and is_erased`);
}

/** The ids of tax codes among the rows that the tenant has deleted since their import. */
export function deletedTaxCodes(client: ClientBase, staging: StagingArea): Promise<ReadonlySet<string>> {
  return edited(client, staging, `table_name = 'TaxCode' and is_deleted`);
}

/** The ids of records that were changed since their import; empty if the rows were never checked. */
async function edited(
  client: ClientBase,
  { schema }: StagingArea,
  condition: string,
): Promise<ReadonlySet<string>> {
  const { rows: found } = await client.query<{ there: boolean }>(
    'select to_regclass($1) is not null as there',
    [`${schema}.edited`],
  );
  if (!found[0].there) return new Set();
  const { rows } = await client.query<{ id: string }>(`select id from ${schema}.edited where ${condition}`);
  return new Set(rows.map(({ id }) => id));
}
