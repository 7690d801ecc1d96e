import type { ClientBase } from 'pg';
import type { RegisteredTenant } from '#platform/auth/tenants';
import { live } from '#projections/live';
import { pagesOf } from '../records/staging-rows';
import { idText } from '../validation/tenant/named-by-id';
import { makeEmptyTable } from '../validation/working-tables';

/** By measure: a query over the read models with a row for each item. `$1` is the tenant. */
const measures: Record<string, string> = {
  Work: `select matter_id as matter, employee_id as fee_earner, total as amount from ${workItems()}`,
  UnbilledWork: `select matter_id as matter, employee_id as fee_earner, remaining as amount from ${workItems()}
    and is_billable and matter_id is not null and item_state in (0, 1)`,
  Billed: `select matter_id as matter, employee_id as fee_earner,
      (state -> 'settlement' -> 'billed' ->> 'amount')::numeric as amount
    from ${workItems()} and item_state = 2`,
  Debtors: `select matter_id as matter, null::uuid as fee_earner, balance as amount
    from read_model.invoices i where ${live('invoices', 'i', '$1')} and not is_deleted and balance <> 0`,
};

function workItems(): string {
  return `read_model.work_items w where ${live('work-items', 'w', '$1')} and not is_deleted`;
}

/** Tables whose records only an import creates in a staging tenant: all its records are counted. */
const COUNTED = { WorkItem: 'work-items', CostRecovery: 'cost-recoveries' };

/**
 * Tables of which a staging tenant has other records, too: only the import's are counted. `parts` names the tables of their
 * parts, and where the state has these.
 */
const LISTED: Record<string, { projection: string; parts?: Record<string, string> }> = {
  Division: { projection: 'divisions' },
  MatterType: { projection: 'matter-types' },
  Role: { projection: 'roles' },
  TaskType: { projection: 'task-types' },
  TaxCode: { projection: 'tax-codes', parts: { TaxRate: 'rates' } },
  DisbursementCode: { projection: 'disbursement-codes' },
  Entity: { projection: 'people' },
  Employee: { projection: 'employees' },
  Client: { projection: 'clients' },
  Supplier: { projection: 'suppliers' },
  RateSet: { projection: 'rate-sets', parts: { RateSetEntry: 'entries' } },
  Matter: { projection: 'matters' },
  ApplicableRate: { projection: 'applicable-rates' },
  Invoice: { projection: 'invoices', parts: { InvoiceLine: 'lines', Payment: 'payments' } },
};

const PAGE = 10_000;

export interface Sides {
  /** A session of the database with the staged rows. */
  session: ClientBase;
  /** A session of the database with the read models. */
  reads: ClientBase;
  /** The staging tenant. */
  tenant: RegisteredTenant;
  signal: AbortSignal;
}

/**
 * Makes `loaded_totals`, the totals of the staging tenant's read models. The read models may be on another server than the
 * staged rows, so sums by record, and ids, are copied page by page from one session to the other.
 */
export async function makeLoadedTotals(sides: Sides): Promise<void> {
  const totals = 'measure text, group_by text, group_key text, count bigint, amount numeric';
  await makeEmptyTable(sides.session, 'loaded_totals', totals);
  await makeEmptyTable(sides.session, 'loaded_records', 'table_name text, id uuid, parts int[]');
  for (const [measure, query] of Object.entries(measures)) {
    await sum(sides, { measure, groupBy: 'Total', key: 'null', query });
    await sum(sides, { measure, groupBy: 'Matter', key: 'matter', query });
    if (measure !== 'Debtors') await sum(sides, { measure, groupBy: 'FeeEarner', key: 'fee_earner', query });
  }
  for (const [table, projection] of Object.entries(COUNTED)) await count(sides, table, projection);
  for (const [table, list] of Object.entries(LISTED)) await listed(sides, table, list);
}

function read<Row extends object>({ reads, tenant, signal }: Sides, query: string): AsyncGenerator<Row[]> {
  return pagesOf<Row>(reads, query, PAGE, signal, [tenant.id]);
}

interface Sum {
  measure: string;
  groupBy: 'Total' | 'Matter' | 'FeeEarner';
  key: string;
  query: string;
}

/** Adds up a measure. A total names a record by the ImportId of the row that became it, otherwise by its id. */
async function sum(sides: Sides, { measure, groupBy, key, query }: Sum): Promise<void> {
  const grouped = `select ${key}::uuid as key, count(*) as count, coalesce(sum(amount), 0) as amount from (${query}) q
    ${groupBy === 'Total' ? '' : `where ${key} is not null group by 1`}`;
  const kind = groupBy === 'Matter' ? 'matter' : 'employee';
  for await (const page of read<{ key: string; count: string; amount: string }>(sides, grouped))
    await sides.session.query(
      `insert into loaded_totals
       select $1, $2, case when t.key is null then '' else coalesce(r.import_id, ${idText('$3', 't.key')}) end,
         t.count, t.amount
       from unnest($4::uuid[], $5::bigint[], $6::numeric[]) t(key, count, amount)
       left join record_ids r on r.id = t.key`,
      [
        measure,
        groupBy,
        kind,
        page.map((row) => row.key),
        page.map((row) => row.count),
        page.map((row) => row.amount),
      ],
    );
}

async function count({ session, reads, tenant }: Sides, table: string, projection: string): Promise<void> {
  const { rows } = await reads.query<{ count: string }>(
    `select count(*) as count from ${tableOf(projection)} t where ${live(projection, 't', '$1')} and not is_deleted`,
    [tenant.id],
  );
  await session.query(`insert into loaded_totals values ('Rows', 'Table', $1, $2, null)`, [
    table,
    rows[0].count,
  ]);
}

/** Counts the records that the import has created, and their parts. */
async function listed(
  sides: Sides,
  table: string,
  { projection, parts = {} }: (typeof LISTED)[string],
): Promise<void> {
  const lengths = Object.values(parts).map((field) => `json_array_length(state -> '${field}')`);
  const query = `select id, array[${lengths.join(', ')}]::int[]::text as parts
    from ${tableOf(projection)} t where ${live(projection, 't', '$1')} and not is_deleted`;
  for await (const page of read<{ id: string; parts: string }>(sides, query))
    await sides.session.query(
      'insert into loaded_records select $1, id, parts::int[] from unnest($2::uuid[], $3::text[]) p(id, parts)',
      [table, page.map((row) => row.id), page.map((row) => row.parts)],
    );
  const counts = [
    [table, 'count(*)'],
    ...Object.keys(parts).map((part, index) => [part, `coalesce(sum(l.parts[${index + 1}]), 0)`]),
  ];
  for (const [name, counted] of counts)
    await sides.session.query(
      `insert into loaded_totals
       select 'Rows', 'Table', $1, ${counted}, null
       from loaded_records l join record_ids r on r.table_name = l.table_name and r.id = l.id
       where l.table_name = $2`,
      [name, table],
    );
}

function tableOf(projection: string): string {
  return `read_model.${projection.replaceAll('-', '_')}`;
}
