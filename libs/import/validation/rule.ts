import type { ClientBase } from 'pg';
import { type FindingCode, severityOf } from './findings';

/** One thing that must hold of the rows of a table, as the query for those of which it does not. */
export interface Rule {
  code: FindingCode;
  table: string;
  /** None: it is about the row as a whole. */
  column?: string;
  /** A sentence for the firm: what is wrong and what to do. `{}` stands for the detail. */
  message: string;
  /** SQL: a value that the message quotes. */
  detail?: string;
  /**
   * SQL from the word `from` on, over the checked copies and what was worked out of them; `t` has the row's import_id,
   * and `s` the settings. A cell that could not be read is null, so that a comparison with it finds nothing.
   */
  rows: string;
}

/** Sorted by what no index has in order: nothing is written, which would hold the feed back, until all has been read. */
export async function report(session: ClientBase, requestId: string, rule: Rule): Promise<void> {
  const { code, table, column = null, message, detail = "''", rows } = rule;
  await session.query(
    `insert into import.findings (request_id, severity, code, table_name, import_id, column_name, message)
     select $1, $2, $3, $4, t.import_id, $5, replace($6, '{}', coalesce((${detail})::text, '')) ${rows}
     order by left(t.import_id, 100)`,
    [requestId, severityOf(code), code, table, column, message],
  );
}
