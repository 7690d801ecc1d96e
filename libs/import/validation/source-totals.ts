import type { ClientBase } from 'pg';
import { tables } from '../schema/schema-1.0';
import { makeTable } from './working-tables';

/** By measure: a query over the checked rows with a row for each item, and its matter and fee earner. */
const measures: Record<string, string> = {
  Work: 'select matter_id as matter, employee_id as fee_earner, amount from work_values',
  UnbilledWork: `select matter_id as matter, employee_id as fee_earner, amount from work_values
    where is_billable and state in ('Pending', 'Finalised')`,
  Billed: `select i.matter_id as matter, w.employee_id as fee_earner, c.amount
    from charges c join work_values w on w.import_id = c.source and c.kind = 'Fee'
    join invoices i on i.import_id = c.invoice_id
    where c.invoice_state in ('Issued', 'PartPaid', 'Paid', 'WrittenOff')`,
  Debtors: `select i.matter_id as matter, null::text as fee_earner, c.total - coalesce(p.amount, 0) as amount
    from invoices i join invoice_totals c on c.invoice_id = i.import_id
    left join (select invoice_id, sum(round(amount, digits)) as amount from payments cross join settings group by 1) p
      on p.invoice_id = i.import_id
    where i.state in ('Issued', 'PartPaid') and c.total <> coalesce(p.amount, 0)`,
};

/** Makes `source_totals`, the totals of the rows. A total names a matter or an employee by its ImportId, if it is a row. */
export async function makeSourceTotals(session: ClientBase): Promise<void> {
  const counts = tables.map(
    ({ name }) => `select 'Rows' as measure, 'Table' as group_by, '${name}' as group_key, count(*) as count,
                     null::numeric as amount from "${name}"`,
  );
  const sums = Object.entries(measures).flatMap(([measure, query]) => [
    summed(measure, 'Total', "''", query),
    summed(measure, 'Matter', 'matter', query),
    ...(measure === 'Debtors' ? [] : [summed(measure, 'FeeEarner', 'fee_earner', query)]),
  ]);
  const all = [...counts, ...sums].join(' union all ');
  // Sorted, so that everything is added up before the first row is written.
  await makeTable(session, 'source_totals', `select * from (${all}) totals order by 1, 2, 3`);
}

function summed(measure: string, groupBy: string, key: string, query: string): string {
  const isRecord = groupBy !== 'Total';
  const named = isRecord
    ? `coalesce((select r.import_id from existing e join record_ids r on r.id = e.stream_id where e.id = g.key), g.key)`
    : 'g.key';
  return `
    select '${measure}', '${groupBy}', ${named}, sum(g.count)::bigint, sum(g.amount)
    from (select ${key} as key, count(*) as count, coalesce(sum(amount), 0) as amount from (${query}) q
          ${isRecord ? `where ${key} is not null group by 1` : ''}) g
    group by 1, 2, 3`;
}

/** SQL: the findings about control totals. A measure without any rows counts as 0. */
const CONTROL = `
  insert into import.findings (request_id, severity, code, table_name, import_id, column_name, message)
  select $1, 'error', 'control_total_differs', 'ControlTotal', c.import_id, d.column_name,
    format('The %s of the rows is %s, but the control total says %s; correct one of them.', d.column_name, trim_scale(d.source), trim_scale(d.control))
  from control_totals c
  left join source_totals s on s.measure = c.measure and s.group_by = c.group_by and s.group_key = coalesce(c.group_key, '')
  cross join lateral (values
    ('Count', coalesce(s.count, 0)::numeric, c.count::numeric),
    ('Amount', case when c.measure <> 'Rows' then coalesce(s.amount, 0) end, c.amount)
  ) d(column_name, source, control)
  where d.source <> d.control and c.measure is not null and c.group_by is not null and not exists (
    select from import.findings f where f.request_id = $1 and f.table_name = 'ControlTotal' and f.import_id = c.import_id
      and f.severity = 'error')
  order by left(c.import_id, 100)`;

/**
 * Compares the control totals with the totals of the rows.
 * @returns the number of differences
 */
export async function reportControlTotals(session: ClientBase, requestId: string): Promise<number> {
  return (await session.query(CONTROL, [requestId])).rowCount ?? 0;
}
