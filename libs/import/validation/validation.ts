import { Injectable } from '@nestjs/common';
import type { Client } from 'pg';
import type { ImportRun } from '../import-run';
import { tables } from '../schema/schema-1.0';
import { reportCells } from './cells/cells';
import { cut } from './checked-names';
import { CheckedRows } from './checked-rows';
import { type Rule, report } from './rule';
import { controlTotalRules } from './rules/control-total-rules';
import { invoiceRules, paymentRules } from './rules/invoice-rules';
import { keyRules, uniqueRules } from './rules/keys';
import { lineRules } from './rules/line-rules';
import { matterRules } from './rules/matter-rules';
import { peopleRules } from './rules/people-rules';
import { referenceDataRules } from './rules/reference-data-rules';
import { referenceRules } from './rules/references';
import { currencyRules, dateRules, settingRules } from './rules/setting-rules';
import { textRules } from './rules/text-rules';
import { billingRules, workRules } from './rules/work-rules';
import { reportControlTotals } from './source-totals';

/** All rules except the checks of single cells. */
export const rules: readonly Rule[] = [
  ...keyRules,
  ...textRules,
  ...referenceRules,
  ...uniqueRules,
  ...settingRules,
  ...currencyRules,
  ...dateRules,
  ...peopleRules,
  ...referenceDataRules,
  ...matterRules,
  ...workRules,
  ...billingRules,
  ...invoiceRules,
  ...paymentRules,
  ...lineRules,
  ...controlTotalRules,
];

const HINDRANCES = `
  insert into import.findings (request_id, severity, code, table_name, import_id, message)
  select $1, 'error', code, table_name, import_id, message from hindrances order by table_name, import_id`;

/** Checks every row of an import by every rule. An import without errors can be loaded. */
@Injectable()
export class Validation {
  constructor(private readonly checked: CheckedRows) {}

  /**
   * Writes the findings to import.findings, in place of those of an earlier try. The rows stay in the database
   * throughout, so the worker's memory does not grow with them.
   * @returns the number of errors and of warnings
   * @throws the reason of the run's abort
   */
  validate(run: ImportRun): Promise<{ errors: number; warnings: number }> {
    return this.checked.session(run, async (session) => {
      await session.query('delete from import.findings where request_id = $1', [run.requestId]);
      const fault = await this.checked.make(session, run);
      await reportCells(session, run.requestId);
      for (const rule of rules) {
        run.signal.throwIfAborted();
        await report(session, run.requestId, rule);
      }
      await session.query(HINDRANCES, [run.requestId]);
      await this.count(session, run);
      await reportControlTotals(session, run.requestId);
      const counts = await counted(session, run.requestId);
      // A row makes no record, but no rule has found out why.
      if (fault !== undefined && counts.errors === 0) throw fault;
      return counts;
    });
  }

  /** Reports to the run how many rows of each table are valid, that is, have no error. */
  private async count(session: Client, run: ImportRun): Promise<void> {
    for (const { name } of tables) {
      const { rows } = await session.query<{ rows: string; rejected: string }>(
        `select count(*) as rows, count(*) filter (where t."ImportId" is null or f.key is not null) as rejected
         from "${name}" t
         left join (
           select distinct import_id as key from import.findings
           where request_id = $1 and table_name = $2 and severity = 'error' and import_id is not null
         ) f on f.key = ${cut('t."ImportId"')}`,
        [run.requestId, name],
      );
      const rejected = Number(rows[0].rejected);
      run.report(name, { valid: Number(rows[0].rows) - rejected, rejected });
    }
  }
}

async function counted(session: Client, requestId: string): Promise<{ errors: number; warnings: number }> {
  const { rows } = await session.query<{ errors: number; warnings: number }>(
    `select count(*) filter (where severity = 'error')::int as errors,
       count(*) filter (where severity = 'warning')::int as warnings
     from import.findings where request_id = $1`,
    [requestId],
  );
  return rows[0];
}
