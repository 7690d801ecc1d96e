import type { ClientBase } from 'pg';
import { type FindingCode, severityOf } from './findings';

/** A rule that all rows of a table must satisfy, expressed as the query for the rows that violate it. */
export interface Rule {
  code: FindingCode;
  table: string;
  /** Absent: the rule is about the row as a whole. */
  column?: string;
  /** A sentence that tells the firm what is wrong and what to do. `{}` stands for the detail. */
  message: string;
  /** SQL: a value that the message quotes. */
  detail?: string;
  /**
   * SQL from the word `from` on, over the checked copies and the tables derived from them. `t` must have the row's
   * import_id; `s` is the settings. An invalid cell is null, so a comparison with it yields no finding.
   */
  rows: string;
}

/**
 * Writes a finding for every row that violates the rule. The order has no index, so PostgreSQL must read all rows
 * before it writes the first: a transaction's writes hold back the event feed.
 */
export async function report(session: ClientBase, requestId: string, rule: Rule): Promise<void> {
  const { code, table, column = null, message, detail = "''", rows } = rule;
  await session.query(
    `insert into import.findings (request_id, severity, code, table_name, import_id, column_name, message)
     select $1, $2, $3, $4, t.import_id, $5, replace($6, '{}', coalesce((${detail})::text, '')) ${rows}
     order by left(t.import_id, 100)`,
    [requestId, severityOf(code), code, table, column, message],
  );
}
