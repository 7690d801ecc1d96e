import type { ImportRun } from '../import-run';
import type { ImportedRecord } from '../records/imported-record';

const REPORTED_EVERY = 1_000;

/** Passes the records through, and reports how many rows of each table have become records. */
export async function* counted(
  run: Pick<ImportRun, 'report'>,
  records: AsyncIterable<ImportedRecord>,
): AsyncGenerator<ImportedRecord> {
  const loaded = new Map<string, number>();
  const count = (table: string, rows: number) => {
    const before = loaded.get(table) ?? 0;
    const now = before + rows;
    loaded.set(table, now);
    if (Math.floor(now / REPORTED_EVERY) > Math.floor(before / REPORTED_EVERY))
      run.report(table, { loaded: now });
  };
  for await (const record of records) {
    count(record.table, 1);
    for (const table in record.parts) count(table, record.parts[table]);
    yield record;
  }
  for (const [table, all] of loaded) run.report(table, { loaded: all });
}
