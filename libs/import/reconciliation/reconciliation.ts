import { Injectable } from '@nestjs/common';
import type { Client } from 'pg';
import type { RegisteredTenant } from '#platform/auth/tenants';
import { ReadDatabase } from '#platform/database';
import type { ImportRun } from '../import-run';
import { CheckedRows } from '../validation/checked-rows';
import { findingKinds } from '../validation/findings';
import { reportControlTotals } from '../validation/source-totals';
import { makeLoadedTotals } from './loaded-totals';

/** The codes of this step's findings. */
const CODES = Object.entries(findingKinds)
  .filter(([, { step }]) => step === 'Reconciling')
  .map(([code]) => code);

/** Compares three totals to the penny: those of the staged rows, of ControlTotal, and of the loaded records. */
@Injectable()
export class Reconciliation {
  constructor(
    private readonly checked: CheckedRows,
    private readonly reads: ReadDatabase,
  ) {}

  /**
   * Writes the totals of all sides to import.totals, and a finding for each difference; replaces those of an earlier run.
   * @param staging the staging tenant; its read models must show everything that was loaded
   * @returns the number of differences
   * @throws the reason of the run's abort
   */
  reconcile(run: ImportRun, staging: RegisteredTenant): Promise<{ errors: number }> {
    return this.checked.session(run, async (session) => {
      await forget(session, run.requestId);
      await this.checked.keep(session, run);
      const reads = await this.reads.session(run.signal);
      try {
        await makeLoadedTotals({ session, reads, tenant: staging, signal: run.signal });
      } finally {
        await reads.end();
      }
      await session.query(TOTALS, [run.requestId]);
      return { errors: await report(session, run.requestId) };
    });
  }
}

async function forget(session: Client, requestId: string): Promise<void> {
  await session.query('delete from import.totals where request_id = $1', [requestId]);
  await session.query('delete from import.findings where request_id = $1 and code = any($2)', [
    requestId,
    CODES,
  ]);
}

/**
 * SQL: a side without a row for a total counts as 0. The loaded side stays empty for tables that are not loaded (Info,
 * ControlTotal), and the control side where ControlTotal says nothing.
 */
const TOTALS = `
  insert into import.totals (request_id, measure, group_by, group_key, source_count, source_amount, control_count,
    control_amount, loaded_count, loaded_amount)
  select $1, k.measure, k.group_by, k.group_key,
    coalesce(s.count, 0), case when k.measure <> 'Rows' then coalesce(s.amount, 0) end,
    c.count, case when k.measure <> 'Rows' then c.amount end,
    case when k.group_key not in ('Info', 'ControlTotal') or k.group_by <> 'Table' then coalesce(l.count, 0) end,
    case when k.measure <> 'Rows' then coalesce(l.amount, 0) end
  from (
    select measure, group_by, group_key from source_totals
    union select measure, group_by, coalesce(group_key, '') from control_totals
    union select measure, group_by, group_key from loaded_totals
  ) k
  left join source_totals s using (measure, group_by, group_key)
  left join loaded_totals l using (measure, group_by, group_key)
  left join control_totals c on c.measure = k.measure and c.group_by = k.group_by
    and coalesce(c.group_key, '') = k.group_key`;

/** SQL: the findings about differences. A finding names the total's matter, employee or table; a grand total's, its table. */
const LOADED = `
  insert into import.findings (request_id, severity, code, table_name, import_id, column_name, message)
  select t.request_id, 'error', 'loaded_total_differs',
    case t.group_by when 'Matter' then 'Matter' when 'FeeEarner' then 'Employee' when 'Table' then t.group_key
      else case t.measure when 'Debtors' then 'Invoice' else 'WorkItem' end end,
    case when t.group_by in ('Matter', 'FeeEarner') then t.group_key end, null,
    format('%s: the rows have the count %s and the amount %s, but what was loaded has %s and %s; tell the operator.', t.measure,
      t.source_count, coalesce(trim_scale(t.source_amount)::text, '-'),
      t.loaded_count, coalesce(trim_scale(t.loaded_amount)::text, '-'))
  from import.totals t
  where t.request_id = $1 and (t.source_count <> t.loaded_count or t.source_amount <> t.loaded_amount)`;

async function report(session: Client, requestId: string): Promise<number> {
  const differing = await reportControlTotals(session, requestId);
  const loaded = await session.query(LOADED, [requestId]);
  return differing + (loaded.rowCount ?? 0);
}
